package clause

import "math/bits"

// A concept is what a word or a short phrase speaks of, more generally than a class says it:
// the weighing of evidence asks for several concepts together, where a rule asks for a clause.
type concept uint8

// The concepts. The first ones come from the lists in words/concepts, the others from how a
// word is written and from the classes of the rules.
const (
	cDialogue   concept = iota // what passes between the user and the model
	cPast                      // how much of it, and when it was
	cUttered                   // somebody said it
	cBriefing                  // instructions to a model
	cConfigured                // given to it by somebody else
	cCredential
	cEnvirons
	cPrivate  // of persons, or on their machines
	cReturned // what tools give back
	cElsewhere
	cMoving
	cDuty
	cMention
	cNeedless
	cUnseen
	cAsking
	cAgreed
	cSkipping
	cVerdict
	cRecast
	cUnreal
	cLifted
	cRival
	cBelittle
	cSuperior
	cPriority
	cTarget
	cHeld
	cAudience
	cDenial
	cBare
	cDeed
	cThisTool
	cGuards        // what keeps a system safe, and is none of the tool's business to turn off
	cDetects       // it looks for attacks, or keeps them out
	listedConcepts // the ones that lists may name end here

	cCredFile
	cEnvName
	cAddress
	cOwnPlace
	cWebURL
	cOwnParam
	cParamWord
	cStranger // the identifier of a tool that this server has not
	cSibling
	cSelf
	cExample
	cCondition
	cHandle // "id", "name", "count": what is said of a thing that is not taken
	cAttempt
	cModel
	cFileName
	cRaw
	cPath
	cMailbox
	cHost    // the name of a machine without a scheme
	cPersist // what is read or run at each start
	cCommand
	cPromo
	cPose // somebody else's voice
	cRegardless
)

var conceptNames = [listedConcepts]string{"dialogue", "past", "uttered", "briefing", "configured", "credential", "environs", "private", "returned", "elsewhere",
	"moving", "duty", "mention", "needless", "unseen", "asking", "agreed", "skipping", "verdict", "recast", "unreal", "lifted", "rival", "belittle", "superior",
	"priority", "target", "held", "audience", "denial", "bare", "deed", "thistool", "guards", "detects"}

// A conceptSet is a set of concepts.
type conceptSet uint64

func conceptsOf(cs ...concept) (s conceptSet) {
	for _, c := range cs {
		s |= 1 << c
	}
	return s
}

func (s conceptSet) has(c concept) bool       { return s>>c&1 != 0 }
func (s conceptSet) oneOf(cs ...concept) bool { return s&conceptsOf(cs...) != 0 }

// implied are the concepts that a class of the rules stands for.
var implied = []struct {
	class class
	set   conceptSet
}{
	{convo, conceptsOf(cDialogue, cPast)}, {utterance, conceptsOf(cDialogue, cUttered, cAudience)}, {talk, conceptsOf(cDialogue)},
	{sysPrompt, conceptsOf(cBriefing, cConfigured)}, {outside, conceptsOf(cReturned, cElsewhere)}, {otherTool, conceptsOf(cElsewhere)},
	{mailTool, conceptsOf(cElsewhere)}, {env, conceptsOf(cEnvirons)}, {secret, conceptsOf(cCredential)}, {people, conceptsOf(cPrivate)},
	{user, conceptsOf(cAudience)}, {users, conceptsOf(cAudience, cHeld)}, {neg, conceptsOf(cDenial)}, {conceal, conceptsOf(cUnseen)}, {covert, conceptsOf(cUnseen)},
	{simulated, conceptsOf(cUnreal)}, {must, conceptsOf(cDuty)}, {credFile, conceptsOf(cCredFile, cPath)}, {envName, conceptsOf(cEnvName)}, {path, conceptsOf(cPath)},
	{fileName, conceptsOf(cFileName)}, {address, conceptsOf(cAddress)}, {badPlace, conceptsOf(cAddress)}, {webURL, conceptsOf(cWebURL)}, {sink, conceptsOf(cAddress)},
	{ownPlace, conceptsOf(cOwnPlace)}, {ownParam, conceptsOf(cOwnParam)}, {param, conceptsOf(cParamWord)}, {ident, conceptsOf(cStranger)},
	{sibling, conceptsOf(cSibling)}, {self, conceptsOf(cSelf, cThisTool)}, {thisTool, conceptsOf(cThisTool)}, {example, conceptsOf(cExample)},
	{cond, conceptsOf(cCondition)}, {limit, conceptsOf(cCondition)}, {handle, conceptsOf(cHandle)}, {attempt, conceptsOf(cAttempt)}, {detect, conceptsOf(cDetects)},
	{model, conceptsOf(cModel)}, {your, conceptsOf(cModel)}, {consented, conceptsOf(cAgreed)}, {consent, conceptsOf(cAsking)}, {void, conceptsOf(cLifted)},
	{without, conceptsOf(cSkipping)}, {step, conceptsOf(cBare)}, {universal, conceptsOf(cPriority)}, {recipient, conceptsOf(cTarget)}, {figure, conceptsOf(cVerdict)},
	{account, conceptsOf(cAddress, cTarget)}, {rawThing, conceptsOf(cRaw)}, {falsify, conceptsOf(cRecast)}, {regardless, conceptsOf(cRecast, cRegardless)}, {bad, conceptsOf(cBelittle)},
	{better, conceptsOf(cSuperior)}, {super, conceptsOf(cSuperior)}, {first, conceptsOf(cSuperior)}, {send, conceptsOf(cMoving)}, {give, conceptsOf(cMoving)},
	{hold, conceptsOf(cMoving)}, {take, conceptsOf(cMoving)}, {tell, conceptsOf(cMention)}, {appear, conceptsOf(cMention)}, {know, conceptsOf(cMention)},
	{ask, conceptsOf(cAsking)}, {content, conceptsOf(cReturned)}, {every, conceptsOf(cPast, cHeld)}, {full, conceptsOf(cPast)}, {memory, conceptsOf(cPersist)}, {startup, conceptsOf(cPersist)},
	{shellCmd, conceptsOf(cCommand)}, {piped, conceptsOf(cCommand)}, {promo, conceptsOf(cPromo)}, {persona, conceptsOf(cPose)}, {asUser, conceptsOf(cPose)},
	{fakeVoice, conceptsOf(cPose)},
}

// impliedBy holds for each class the concepts that it stands for.
var impliedBy = func() (out [classes]conceptSet) {
	for _, i := range implied {
		out[i.class] |= i.set
	}
	return out
}()

// conceptsFor returns the concepts of the classes that a token has.
func conceptsFor(set classSet) (out conceptSet) {
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			if c := i<<6 | bits.TrailingZeros64(word); c < int(classes) {
				out |= impliedBy[c]
			}
		}
	}
	if set.has(address) && !set.has(webURL) {
		out |= conceptsOf(cMailbox)
	}
	return out
}
