package oatf

// Status is where a document stands in its life (§10.2).
type Status string

// The statuses.
const (
	StatusDraft        Status = "draft"
	StatusExperimental Status = "experimental"
	StatusStable       Status = "stable"
	StatusDeprecated   Status = "deprecated"
)

// SeverityLevel is how much harm an attack does (§4.3), in the steps of CVSS 3.1.
type SeverityLevel string

// The levels, ascending.
const (
	SeverityInformational SeverityLevel = "informational"
	SeverityLow           SeverityLevel = "low"
	SeverityMedium        SeverityLevel = "medium"
	SeverityHigh          SeverityLevel = "high"
	SeverityCritical      SeverityLevel = "critical"
)

// Impact is a kind of harm (§4.4).
type Impact string

// The impacts.
const (
	ImpactBehaviorManipulation  Impact = "behavior_manipulation"
	ImpactDataExfiltration      Impact = "data_exfiltration"
	ImpactDataTampering         Impact = "data_tampering"
	ImpactUnauthorizedActions   Impact = "unauthorized_actions"
	ImpactInformationDisclosure Impact = "information_disclosure"
	ImpactCredentialTheft       Impact = "credential_theft"
	ImpactServiceDisruption     Impact = "service_disruption"
	ImpactPrivilegeEscalation   Impact = "privilege_escalation"
)

// Category is how an attack works, whatever its protocol (§4.5).
type Category string

// The categories.
const (
	CategoryCapabilityPoisoning    Category = "capability_poisoning"
	CategoryResponseFabrication    Category = "response_fabrication"
	CategoryContextManipulation    Category = "context_manipulation"
	CategoryOversightBypass        Category = "oversight_bypass"
	CategoryTemporalManipulation   Category = "temporal_manipulation"
	CategoryAvailabilityDisruption Category = "availability_disruption"
	CategoryCrossProtocolChain     Category = "cross_protocol_chain"
)

// Relationship is how close an attack is to an entry of a framework (§4.5).
type Relationship string

// The relationships.
const (
	RelationshipPrimary Relationship = "primary"
	RelationshipRelated Relationship = "related"
)

// CorrelationLogic is how indicators combine (§4.7).
type CorrelationLogic string

// The logics: one indicator is enough, or all must match.
const (
	LogicAny CorrelationLogic = "any"
	LogicAll CorrelationLogic = "all"
)

// ExtractorSource is the side of an exchange that an extractor reads (§5.5). The words mean
// the protocol's roles, whoever sends.
type ExtractorSource string

// The sources.
const (
	SourceRequest  ExtractorSource = "request"
	SourceResponse ExtractorSource = "response"
)

// ExtractorType is the language of an extractor's selector (§5.5).
type ExtractorType string

// The types.
const (
	ExtractJSONPath ExtractorType = "json_path"
	ExtractRegex    ExtractorType = "regex"
)

// LogLevel is the weight of a log line (SDK §2.7a).
type LogLevel string

// The levels.
const (
	LogInfo  LogLevel = "info"
	LogWarn  LogLevel = "warn"
	LogError LogLevel = "error"
)

// Direction is the side of an exchange that an indicator looks at (§6.1), in the words of
// the protocol's roles: for a server a request comes in, for a client it goes out.
type Direction string

// The directions.
const (
	DirectionRequest  Direction = "request"
	DirectionResponse Direction = "response"
)

// IndicatorMethod is how an indicator judges (§6.1).
type IndicatorMethod string

// The methods.
const (
	MethodPattern    IndicatorMethod = "pattern"
	MethodExpression IndicatorMethod = "expression"
	MethodSemantic   IndicatorMethod = "semantic"
)

// IntentClass is a hint for the model behind a semantic indicator (§6.4).
type IntentClass string

// The classes.
const (
	IntentPromptInjection     IntentClass = "prompt_injection"
	IntentDataExfiltration    IntentClass = "data_exfiltration"
	IntentPrivilegeEscalation IntentClass = "privilege_escalation"
	IntentSocialEngineering   IntentClass = "social_engineering"
	IntentInstructionOverride IntentClass = "instruction_override"
)

// ElicitationAction is how a client answers an elicitation (§7.1.5).
type ElicitationAction string

// The actions; accept is the default.
const (
	ElicitAccept  ElicitationAction = "accept"
	ElicitDecline ElicitationAction = "decline"
	ElicitCancel  ElicitationAction = "cancel"
)

// Tier is how far an agent went, of an indicator that matched. It comes from the public
// scenario library; the specification does not have it yet.
type Tier string

// The tiers, ascending: the agent took the content in, acted within its own boundary, or
// carried something over it.
const (
	TierIngested       Tier = "ingested"
	TierLocalAction    Tier = "local_action"
	TierBoundaryBreach Tier = "boundary_breach"
)
