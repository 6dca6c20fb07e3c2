package oatf

// Status is the life-cycle status of a document (§10.2).
type Status string

// The statuses.
const (
	StatusDraft        Status = "draft"
	StatusExperimental Status = "experimental"
	StatusStable       Status = "stable"
	StatusDeprecated   Status = "deprecated"
)

// SeverityLevel is the severity of an attack (§4.3), in the levels of CVSS 3.1.
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

// Category is the mechanism of an attack, independent of protocol (§4.5).
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

// Relationship is how closely an attack relates to a framework entry (§4.5).
type Relationship string

// The relationships.
const (
	RelationshipPrimary Relationship = "primary"
	RelationshipRelated Relationship = "related"
)

// CorrelationLogic says how indicators combine (§4.7).
type CorrelationLogic string

// The logics: any indicator suffices, or all must match.
const (
	LogicAny CorrelationLogic = "any"
	LogicAll CorrelationLogic = "all"
)

// ExtractorSource is the side of an exchange that an extractor reads (§5.5), in the protocol's roles, whoever sends.
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

// LogLevel is the level of a log line (SDK §2.7a).
type LogLevel string

// The levels.
const (
	LogInfo  LogLevel = "info"
	LogWarn  LogLevel = "warn"
	LogError LogLevel = "error"
)

// Direction is the side of an exchange that an indicator examines (§6.1), in the protocol's roles: a server receives
// requests, a client sends them.
type Direction string

// The directions.
const (
	DirectionRequest  Direction = "request"
	DirectionResponse Direction = "response"
)

// IndicatorMethod is how an indicator detects compliance (§6.1).
type IndicatorMethod string

// The methods.
const (
	MethodPattern    IndicatorMethod = "pattern"
	MethodExpression IndicatorMethod = "expression"
	MethodSemantic   IndicatorMethod = "semantic"
)

// IntentClass is a hint to the model behind a semantic indicator (§6.4).
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

// Tier is how far the agent went if an indicator matched. It comes from the public scenario library and is not part of
// the specification yet.
type Tier string

// The tiers, ascending: the agent ingested the content, acted within its own boundary, or crossed it.
const (
	TierIngested       Tier = "ingested"
	TierLocalAction    Tier = "local_action"
	TierBoundaryBreach Tier = "boundary_breach"
)
