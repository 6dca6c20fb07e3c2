# gauntlet patterns: what poisoned definitions do, in word classes. The syntax is in pattern.go.
#
# Weight 3 is an attack by itself; 2 and 1 need company of another kind (check/surface). Lines of one
# name count once. Classes with an x in front hold only the words of other languages, whose order of
# words differs; their patterns are clusters.

# --- override: cancel what the model was told before, or make it act without asking
# An order to drop earlier instructions is an attack by itself. What honest texts also say (modes,
# new roles, acting without asking) weighs less.
override.prior 3 : ignore! ~4 prior ~3 instr|sysprompt ; -neg<2 -detect
override.prior 3 : must|thistool ~2 ignore ~4 prior ~3 instr|sysprompt ; -neg<2 -detect
override.prior 3 : ignore ~4 prior ~3 minstr|sysprompt ; -neg<2 -detect
override.prior 2 : ignore ~4 prior ~3 instr ; -neg<2 -detect
override.prior 3 : ignore ~4 instr ~3 prior ; -neg<2 -detect
override.prior 3 : ^drop! ~4 prior|given|your ~3 minstr|sysprompt ; -neg<2 -detect -option
override.prior 3 : ^drop! ~4 minstr|instr|sysprompt ~3 given ; -neg<2 -detect
override.prior 3 : ^ignore! ~6 given ; -neg<2 -detect
override.prior 3 : ^pretend ~3 prior|convo ; -detect -neg<2
override.prior 3 : ^drop|ignore! ~3 instr|minstr ~3 yourmem ; -detect -neg<2
override.system 3 : ignore ~5 your ~3 instr|detect ; -neg<2 -detect<4
override.system 3 : ignore|alter ~3 sysprompt ; -neg<2 -detect -option
override.everything 3 : ^ignore! ~2 prior ~0 lead ; -neg<2 -detect -example
override.everything 3 : ^ignore! ~2 prior ; -neg<2 -detect -example
override.request 3 : ignore! ~2 user ~3 instr|param|command ; -neg<2 -detect
override.request 3 : treat! ~3 user ~2 command|instr ~3 off|void|drop ; -detect
override.request 3 : treat! ~3 userinput ~3 off|void|drop ; -detect
override.request 3 : ^ignore! ~2 user ~3 wantv ; -detect -neg<2
override.obey 2 : follow! ~3 new ~3 instr ; -detect
override.obey 2 : follow! ~3 every ~3 instr ; -detect
override.obey 3 : follow! ~4 command|instr|every ~3 uncond ; -detect
override.obey 3 : ^obey! ~2 only ; -detect
override.obey 3 : follow! ~1 only ~2 notool ; -detect
override.obey 3 : only ~1 follow! ~2 notool ; -detect
override.prompt 3 : new ~1 sysprompt ; -detect
override.prompt 3 : sysprompt ~1 ignore
override.persona 3 : persona ; -detect
override.persona 2 : youarenow
override.mode 1 : mode
override.checks 2 : ignore ~3 approval|your ~2 detect|instr ; -neg<2
override.consent 2 : neg ~2 approval
override.consent 3 : must ~10 without ~2 approval ; -not
override.consent 3 : ^skipw! ~1 prompts ; -not -option
override.consent 2 : without ~1 approval ; -not
override.consent 2 : neg ~4 ask! ~2 approval|consent ; -detect
override.input 3 : must ~2 ignore! ~1 user
override.input 3 : ^ignore! ~1 userinput ; -neg<2
override.force 3 : forcev! ~2 ownparam ~1 tow
override.force 3 : ^ignore! ~1 ownparam ~1 tow
override.force 3 : must ~3 forcev! ~3 userinput|ownparam
override.force 1 : ^setw! ~1 ownparam ~1 tow ~2 named|ident|addr
override.must 2 : must ~1 ignore!
override.fixed 3 : fixed
override.guard 3 : disablev! ~2 safeguard ; -option -detect<4 -neg<2
override.guard 3 : disablev! ~2 usual|your ~1 guardn ; -detect -neg<2 -option
override.regardless 3 : regardless
override.regardless 3 : nomatter ~1 user ~6 call|say|forcev|pass|tamper! ; -detect -neg<2
override.halt 2 : must ~3 halt! ; -detect
override.halt 2 : halt! ~6 say! ~2 user
override.treat 2 : treat! ~6 authority
override.treat 2 : treat! ~4 ident|content|thistool ~4 instr
override.treat 3 : treat! ~6 your|every ~2 instr|command|authority ; -detect
override.treat 3 : notool ~3 your ~2 minstr ; -detect
override.void 3 : prior|given|your ~4 minstr|instr ~4 void ; -detect
override.void 3 : minstr|instr ~4 prior|given ~6 void ; -detect
override.void 3 : your ~2 minstr ~6 void ; -detect
override.void 3 : prior ~2 config ~4 void|off
override.rank 3 : instr|notool ~4 precedence ~4 instr|sysprompt|every|prior|user|your ; -detect
override.rank 3 : instr ~1 alter|ignore|precedence ~3 given ; -detect
override.unbound 3 : unbound ~4 minstr|instr|your|every ; -detect
override.asuser 3 : asuser ; -detect -example
override.off 3 : your|user|usual ~2 guardn ~5 off|void ; -detect -option
override.off 3 : ^treat! ~1 given|prior ~10 off ; -detect
override.off 3 : given ~10 off|void ; -detect
override.role 3 : rolev ~6 rolebad ; -detect -option -example
override.preconsent 2 : user ~2 preconsent
override.allowed 3 : allowed ~1 ignore|drop|disablev! ~4 instr|safeguard|guardn ; -neg<3 -detect
override.asif 3 : asif ~4 instr|guardn|minstr ; -detect
# in other languages
override.consent 3 : {xmust|xlead xwithout xapproval}~6 ; -xneg
override.obey 3 : {xonly xfollow xnotool}~3 ; -xdetect
override.prior 3 : {xignore xprior xinstr}~4 ; -xdetect -xexample
override.prior 3 : {xignore xyour xinstr}~3 ; -xdetect -xexample
override.prior 3 : {xneg xfollow xprior xinstr}~4 ; -xdetect -xexample
override.prompt 3 : {xignore xsysprompt}~4 ; -xdetect
override.regardless 3 : {xnomatter xuser xalter}~6
override.request 3 : {xignore xuser xinstr}~3 ; -xdetect -xneg
override.system 3 : {xneg xfollow xyour xinstr}~3 ; -xdetect
override.void 3 : {xprior xinstr xneg xvalid}~3
override.void 3 : {xprior xinstr xvoid}~3

# --- conceal: keep the user in the dark
# No honest tool has a secret from its user. Keeping technical values (class raw) out of an answer
# is fine.
conceal.user 3 : neg ~1 _tell ~5 user ; -detect -raw -option<8
conceal.user 3 : neg ~1 _tell ~0 them ; -detect -raw
conceal.user 3 : neg ~0 _telladj! ~3 user ; -detect
conceal.user 2 : neg ~3 _tell! ~2 user ; -detect
conceal.user 3 : neg ~1 tellthem ; -detect
conceal.step 3 : neg ~1 tell! ~1 step ; -example
conceal.step 3 : neg ~0 _tell! ~2 read
conceal.step 3 : neg ~1 refn ~3 step|user ; -detect -example
conceal.step 3 : neg ~1 tell! ~2 extra ~1 param|call|step|command|content ; -detect
override.consent 2 : neg ~1 user ~2 consent
override.consent 1 : neg ~1 ask ~2 user
conceal.covert 3 : covert ~1 send|pass! ; -neg<2
conceal.covert 2 : covert ~2 read|call|alter!
conceal.covert 3 : covert ~2 sendto ~6 sink|addr ; -neg<2
conceal.covert 2 : ^covert ~1 user ; -neg<2
conceal.covert 3 : covert ~1 exec! ~3 shell|command|installer ; -neg<2
conceal.hide 3 : hide! ~3 user ; -detect
conceal.hide 2 : neg ~1 user ~3 hide|tell
conceal.hide 3 : hide! ~6 from ~1 user ; -detect -neg<2
conceal.asif 2 : pretend ~8 asif|content
conceal.asif 2 : asif ~8 toolnoun|outresp
conceal.trick 3 : trick ~3 user ; -detect
conceal.show 2 : neg ~0 show! ~1 user
conceal.unaware 3 : user ~1 never ~2 knowv ; -when -detect -raw
conceal.unaware 3 : without ~2 user|them ~1 knowledge ; -detect -neg<2
conceal.unaware 3 : neg ~1 makev! ~1 user ~1 knowledge
conceal.unaware 3 : covert ~1 knowv ; -neg<2
conceal.hush 3 : hush ; -detect
conceal.omit 3 : ^omit! ~3 step ~4 yourresp ; -detect
conceal.omit 3 : ^omit! ~0 step ~2 yourresp|outresp ; -detect
conceal.omit 2 : ^omit! ~4 yourresp
conceal.lie 3 : when|must ~1 user ~1 asksv ~6 lie ; -detect
conceal.lie 3 : ifasked ~6 lie ; -detect
conceal.appear 3 : neg ~6 appear ~4 yourresp ; -detect -raw
conceal.appear 3 : yourresp ~1 never ~1 appear|containv|tell ~4 refn|step ; -detect
conceal.silent 3 : without ~0 tell ~1 thistool|step|user|them ; -detect -neg<2
conceal.stay 3 : stay ~1 hiddenadj ~3 user ; -detect -neg<2
conceal.secretly 3 : ^act! ~3 secretly ; -neg<2 -detect
# in other languages
conceal.appear 3 : {xoutresp xneg xappear}~3
conceal.covert 2 : {xcovert xsend|xread|xpass}~3
conceal.hide 3 : {xhide xuser xstep|xcontent}~4
conceal.hide 3 : {xhide xuser}~1 ; -xdetect -xneg
conceal.step 3 : {xneg xtell xstep}~2 ; -xdetect
conceal.unaware 3 : {xuser xneg xknowv}~4 ; -xdetect -xwhen
conceal.user 3 : {xneg xtell xuser}~5 ; -xdetect

# --- sensitive: reach for files, secrets and conversations
# A named credential file or the conversation in a parameter weighs 3. A secret alone weighs less:
# tools ask for their own.
sensitive.file 3 : ^read! ~5 sensfile ; -example
sensitive.file 3 : read ~5 sensfile ; -example
sensitive.file 3 : read ~3 sensfile ~4 param ; -example
sensitive.file 3 : ^readx! ~5 sensfile ; -example
sensitive.file 3 : must ~3 readx! ~5 sensfile ; -example
sensitive.path 2 : lead ~0 read! ~4 path ~8 pass|send
sensitive.secret 2 : ^read! ~3 secret|sysprompt
sensitive.convo 3 : ^read! ~3 convo
sensitive.convo 3 : ^readx! ~3 convo
sensitive.pass 3 : pass! ~4 content ~4 sensfile ; -example
sensitive.pass 3 : send ~6 sensfile ; -example -neg<3
sensitive.pass 3 : pass! ~1 sensfile ; -example
sensitive.pass 3 : pass ~6 sensfile ; -example -neg<3
sensitive.pass 3 : pass! ~3 convo ; -neg<3
sensitive.pass 3 : pass! ~3 secret ; -neg<3 -option<4 -username
sensitive.pass 3 : pass! ~3 sensfile ~2 content ; -example
sensitive.pass 2 : content ~1 sensfile ; -example
sensitive.pass 3 : passx! ~5 content ~4 sensfile ; -example
sensitive.pass 3 : ^pass|passx! ~6 convo ; -neg<3 -detect
sensitive.pass 3 : ^pass|passx! ~6 talk ~2 sofar ; -neg<3 -detect
sensitive.pass 3 : ^pass|passx! ~4 every|prior ~1 talk ~8 param|ownparam|ident|named ; -neg<3 -detect
sensitive.pass 3 : pass! ~1 every ~2 secret ; -neg<3
sensitive.content 1 : pass! ~3 content ~4 param|outresp|ident|ownparam
sensitive.prompt 3 : ^tell|read|send! ~3 sysprompt ; -detect
sensitive.prompt 3 : ^show! ~3 sysprompt ; -detect
sensitive.prompt 3 : pass|passx|show|tell! ~2 yourprompt ; -detect -neg<3
sensitive.prompt 3 : ^tell|show! ~4 instr|minstr ~2 given ; -detect
sensitive.ask 2 : ask! ~2 user ~5 secret
sensitive.ask 3 : ask! ~2 user ~5 crown ; -neg<2
sensitive.model 3 : modelname ~3 call
sensitive.key 3 : content ~1 read ~3 secret|sensfile|convo
sensitive.key 2 : content ~3 secret ~4 user
sensitive.name 3 : content ~2 sensword|secret|sensfile ; +inname
sensitive.name 3 : readv ~2 sensword|secret|sensfile ; +inname
sensitive.name 3 : exfilword ; +inname
sensitive.context 3 : modelcontext ; +inname
sensitive.context 3 : modelprompt ; +inname
sensitive.param 2 : param|ownparam|named|ident ~1 must ~2 containv ~4 user ~3 secret|convo ; -detect
sensitive.param 3 : param|ownparam|named|ident ~1 must ~2 containv ~4 convo|yourprompt|sensfile ; -detect
sensitive.param 3 : param|ownparam|named|ident ~1 must ~2 containv ~4 sysprompt ~4 sofar ; -detect
sensitive.found 2 : read|readx! ~3 secret ~14 passx|pass! ~4 param|ownparam|named
sensitive.take 3 : read|readx! ~1 user|hoard ~2 secret ~5 pass|send|passx ~3 content|param|ownparam|named ; -detect
sensitive.set 3 : passx! ~1 ownparam|named|ident|param ~1 tow ~5 convo|yourprompt ; -detect
sensitive.set 3 : pass|passx! ~6 prior|every|lastw ~2 msgn ~5 user ; -detect -neg<3
sensitive.profile 3 : pii ~8 frommem ; -neg<4
sensitive.tools 3 : pass|passx|send! ~2 inventory ~4 toolsall ; -detect -neg<3
# in other languages
sensitive.content 1 : {xpass xcontent}~3
sensitive.file 3 : {xread sensfile}~5 ; -xexample
sensitive.pass 3 : {xpass|xsend sensfile}~5 ; -xexample
sensitive.pass 2 : {xpass xsecret}~4
sensitive.pass 3 : {xread xsecret xpass}~4 ; -xdetect
sensitive.prompt 2 : {xread|xtell|xsend xsysprompt}~4 ; -xdetect

# --- exfil: send data somewhere else
# An address or a receiver outside makes it 3. Without one it needs company.
exfil.secret 3 : send ~5 secret|sensfile|convo ~6 sink|addr ; -detect -example
exfil.secret 2 : send ~4 secret|sensfile|convo ; -detect -example -neg<3
exfil.secret 3 : ^send! ~1 secret ~1 also
exfil.msgs 3 : send ~4 msgs ~6 sink|addr ; -detect
exfil.sink 3 : ^send! ~6 sink|addr
exfil.sink 3 : ^sendto! ~8 _tow ~3 sink|addr ; -detect -example
exfil.also 3 : also ~3 send|visit ~6 sink|addr
exfil.must 3 : must ~4 send|visit! ~6 sink|addr
exfil.must 3 : must ~8 sink ~3 addr
exfil.must 3 : must ~6 network ~6 sink|addr
exfil.must 3 : must ~5 sendto ~5 tow ~1 addr|sink ; -detect -example
exfil.copy 3 : send ~3 copy ~6 sink|addr
exfil.copy 3 : copy ~4 send ~6 sink|addr
exfil.bcc 3 : bcc ~6 addr
exfil.bcc 3 : must ~4 bcc
exfil.convo 3 : send ~6 convo ; -detect
exfil.address 3 : badaddr ; -detect -example
exfil.address 3 : send|visit ~4 badaddr ; -detect -example
exfil.every 3 : every ~6 sendto ~3 tow ~3 addr|sink ; -detect -example
exfil.request 3 : ^makev! ~3 network ~10 addr|sink ; -detect -example
exfil.request 3 : network ~3 with|pass|passx|content ~4 convo|secret|msgs ~8 addr|sink ; -detect
exfil.beacon 3 : pass|passx|encode! ~8 beacon ~4 addr ; -detect -example
exfil.append 3 : pass! ~4 secret|convo|content ~4 addr ; -detect -example
exfil.reach 3 : must ~3 reach ~2 addr|sink
exfil.reach 3 : every|nomatter|secret|convo|msgs ~6 reach ~2 addr|sink
exfil.smuggle 3 : ^smuggle! ~8 content|secret|user|msgs|addr ; -detect -neg<2
exfil.auto 3 : must ~1 send ~8 tow ~6 auto ; -neg<3
exfil.visit 3 : ^call|visit! ~1 addr ~1 followed|with ; -example -detect
# in other languages
exfil.bcc 3 : {xmust xbcc email}~6
exfil.secret 3 : {xsend xsecret|xconvo|xmsgs|xsysprompt addr|xsink}~8 ; -xdetect
exfil.secret 2 : {xsend xsecret|xconvo|sensfile}~5 ; -xdetect
exfil.sink 3 : {xmust|xlead xsend addr|xsink}~8
exfil.sink 3 : {xsend xevery|xcopy|xcontent addr|xsink}~6

# --- malice: name an attack
# Scanners do so as well.
malice.word 2 : malice ; -detect

# --- shell: commands that the model is to run
# Weight 3 if the text obliges the model to run them; tools that run commands say so too.
shell.must 3 : must ~4 exec|pass|prefixw ~6 shell
shell.also 3 : also ~2 exec ~3 shell
shell.command 3 : must ~3 exec! ~3 command
shell.please 2 : ^exec|pass! ~5 shell
shell.every 3 : every ~2 cmdnoun ~6 must ~4 prefixw|shell
shell.every 2 : every ~2 cmdnoun ~6 must ~4 pass
shell.every 3 : pass! ~1 shell ~3 every|nomatter ~2 cmdnoun
shell.pipe 3 : exec|must|pass ~8 url|shell|send ~6 piped ; -detect
shell.pipe 2 : url ~4 piped ; -detect
shell.ruin 3 : ^exec! ~8 ruin ; -detect -example -neg<3
shell.ruin 3 : must ~3 exec! ~8 ruin ; -detect -neg<3
shell.ruin 3 : ^ruin ~10 also|beforew
shell.before 3 : beforew ~3 exec! ~2 shell|ruin
shell.startup 3 : pass|passx|updatew! ~8 startup ; -example
shell.startup 3 : pass|passx|updatew! ~3 line ~4 sensfile ; -example
shell.remote 3 : ^execx! ~4 from ~1 addr ; -detect -example
shell.remote 3 : ^execx! ~0 addr
shell.type 3 : ^typew ~1 shell|ruin

# --- cross: steer other tools
# Naming another tool of the same server is how honest texts explain an order of steps, so a name
# alone is nothing. What counts is a foreign tool, other arguments, an address, or a formality as
# a pretext.
cross.alter 3 : alter ~4 param ~5 ident|toolnoun|othertool|sibling ; +addr
cross.alter 2 : alter ~2 param ~3 toolnoun|othertool|sibling
cross.alter 3 : alter ~2 param ~3 addr
cross.alter 2 : must ~1 alter! ~3 param
cross.alter 3 : param ~2 ident|othertool ~2 alter ~6 thistool
cross.alter 3 : ^alter! ~2 outresp ~2 ident|sibling|othertool
cross.alter 3 : call! ~0 thistool ~2 alter! ~2 param
cross.alter 3 : when ~3 ident|othertool ~1 toolnoun ~10 alter!
cross.alter 3 : must ~1 alter! ~1 poss ~1 outresp|param
cross.when 2 : when ~3 ident|othertool|sibling ~1 toolnoun ~6 must|pass|alter|send
cross.when 3 : when ~4 othertool|sibling|ident ~8 must|pass|alter|send ~8 addr
cross.when 3 : when ~4 ident|sibling|othertool ~6 alter!
cross.when 3 : when ~2 othertool ~8 alter|send! ~8 param
cross.when 3 : when ~3 othertool|ident|sibling ~4 param ~1 must ~2 tamper|alter
cross.must 3 : ident|sibling ~1 toolnoun ~1 must ~3 send|pass|alter|call
cross.must 3 : every ~2 call ~8 must ~2 pass ~6 path|addr|secret|content
cross.must 3 : every ~2 ident|sibling ~8 must ~2 pass ~6 path|addr|secret|content
cross.must 3 : call ~3 ident|othertool ~2 must ~2 followed ~6 call|ident
cross.must 3 : command ~3 ident|othertool ~1 must ~4 gov|alter|via ; -example
cross.before 1 : beforew ~2 call ~3 othertool|toolnoun
cross.also 3 : call! ~4 ident|sibling ~8 sensfile|secret
cross.also 2 : also ~1 invoke! ~2 ident|named
cross.also 3 : must ~1 immediately|also ~2 call|exec ~1 ident|named
cross.also 3 : also ~1 call|exec ~1 ident ~6 addr|filename
cross.also 3 : also ~1 call|exec ~1 sibling|ident ~20 when ~2 thistool
cross.also 3 : immediately ~8 must ~2 invoke|exec ~1 sibling|ident
cross.also 3 : must ~1 immediately ~1 also ~1 invoke|exec ~1 sibling|ident
cross.redirect 2 : ident|sibling|self ~6 deprecated ~30 must|lead ~3 call! ~4 ident|sibling
cross.instead 3 : instead ~1 call ~3 sibling|ident|toolnoun ~4 must ~3 call
cross.force 2 : notice ~2 invoke|exec! ~2 ident|named
cross.force 2 : must ~2 invoke ~4 ident|named
cross.force 2 : must ~2 call ~4 ident|named ~0 toolnoun
cross.after 2 : afterw ~4 thistool|self|call ~8 must ~2 invoke! ~3 ident|named
cross.after 2 : afterw|when|immediately ~8 must ~3 invoke|exec ~1 ident|named
cross.pretext 3 : must ~4 call|send|visit|exec|updatew ~8 ident|sibling|addr|path|named ; +purpose
cross.pretext 3 : must ~1 also ~1 invoke ~3 toolnoun ; +purpose
cross.pretext 3 : must ~1 also ~1 invoke ~3 toolnoun ; +ritual
cross.retire 3 : ident|sibling|self|named ~1 toolnoun ~4 deprecated ~4 maint
cross.arg 3 : must|when|immediately|also ~8 call|exec ~1 sibling ~8 filename|email
cross.arg 3 : must ~4 call|exec ~1 sibling|ident ~1 path
cross.arg 3 : via ~0 ident|sibling ~3 email
cross.arg 3 : call|exec|via ~1 sibling|ident ~0 lead ~0 path ; -example
cross.arg 3 : call|exec ~1 sibling ~2 filename
cross.arg 3 : email ~3 via ~0 sibling
cross.arg 3 : filename ~1 via ~0 sibling
cross.arg 3 : call|exec ~1 ident ~2 filename
cross.arg 3 : filename ~1 via ~0 ident
cross.arg 3 : ident ~1 lead|via ~1 email
cross.arg 3 : email ~3 via ~0 ident
cross.arg 3 : call|exec ~1 ident ~4 email
cross.every 3 : every ~2 call ~3 ident|othertool ~2 must ~5 gov|pass|alter|send ; -example
cross.every 3 : every ~2 call ~3 sibling ~2 must ~5 gov|send ~5 path|addr
cross.every 3 : othertool ~2 must ~4 gov|pass|alter! ~8 addr|path|param
cross.power 3 : also|must|afterw|immediately ~4 call|exec ~1 power ; -sibling -example
cross.power 3 : via|call|exec ~1 power ~8 beforew ~1 proceedw ; -sibling
cross.spy 3 : othertool ~10 receive ~4 othertool ~1 param
cross.spy 2 : thistool ~3 must ~1 receive ~4 othertool
cross.spy 3 : othertool ~6 call! ~1 thistool ~3 same|content|param
cross.spy 3 : when ~3 ident|othertool|sibling ~8 send|pass ~6 tow ~1 thistool
cross.spy 3 : when|beforew ~8 ident ~1 toolnoun ~4 call! ~0 thistool
cross.ritual 3 : must ~3 invoke|exec ~2 pretext ; -example +ritual
cross.ritual 2 : must ~3 invoke|exec ~2 pretext ; -example
cross.ritual 2 : ^invoke|exec! ~2 pretext ~12 beforew|afterw ; -example
cross.ritual 2 : afterw ~8 ^invoke|exec! ~1 pretext ; -example
cross.sink 2 : thistool ~1 must ~2 invoke|exec ~3 beforew|afterw|immediately ~2 everyop
cross.sink 2 : everyop ~6 must ~4 followed ~3 ritual
cross.swap 3 : call|send|pass ~3 email|account ~3 instead ; -example
cross.first 3 : must ~3 invoke|exec ~2 ident|named ~12 beforew ~4 proceedw
cross.first 3 : beforew ~1 every ~2 outresp|command|call ~4 must ~2 invoke|exec
cross.soft 3 : norm ~4 prefer ~16 via|call|with ~1 sibling|ident
# in other languages
cross.before 1 : {xbeforew xcall xothertool}~3
cross.force 2 : {xmust xinvoke ident|named}~3
cross.when 2 : {xwhen ident|xothertool|sibling xmust xpass|xalter|xsend}~6

# --- tamper: falsify what the user gets
tamper.promo 3 : promo
tamper.promo 3 : partner ~4 tow ~1 top
tamper.promo 3 : ^pass! ~2 sentence ~14 every|your ~1 outresp ; -detect
tamper.promo 3 : neg ~1 show|prefer! ~6 partner
tamper.promo 3 : ^tell|say! ~2 every ~1 outresp|yourresp
tamper.say 2 : must ~6 say! ~8 hiddenword
tamper.say 3 : say! ~2 user ~3 shout|hiddenword
tamper.param 3 : must ~3 tamper! ~4 ownparam|param ~6 regardless
tamper.false 3 : say|tell|tamper|show! ~10 thanreal ; -detect
tamper.false 3 : makev! ~4 lookv ~4 thanreal
tamper.ad 3 : outresp|user ~4 adverb! ; -detect
tamper.ad 3 : must ~4 adverb! ; -detect
tamper.slant 3 : ^omit! ~2 slant ~10 neg ~1 pass|show|tell! ; -option
tamper.slant 2 : neg ~1 pass|show! ~2 slant ; -option
# in other languages
tamper.result 2 : {xmust xtamper xparam|xoutresp}~6

# --- prefer: capture the choice of tools
# Praise weighs 1 or 2, and only several kinds together are enough. Forbidding or running down
# other tools weighs 3.
prefer.over 3 : prefer ~3 thistool ~4 instead ~4 othertool
prefer.over 3 : prefer ~3 instead ~2 othertool
prefer.over 3 : call ~1 thistool ~1 instead ~2 othertool
prefer.over 3 : prefer! ~3 above ~0 everyother
prefer.over 1 : call! ~0 thistool ~1 inplace
prefer.over 2 : instead ~5 ident ~2 call! ~3 ident|self|thistool
prefer.over 3 : evenif ~1 othertool|everyother ~2 lookv
prefer.over 3 : prefer! ~1 thistool ~2 above ~1 everyother
prefer.over 3 : must ~1 send|call ~4 via ~0 thistool ~1 inplace|instead
prefer.never 3 : neg ~0 call! ~2 othertool
prefer.never 2 : neg ~2 call! ~2 othertool
prefer.never 3 : neg ~0 call|prefer|ask! ~1 otherw ~1 toolnoun|kindnoun ; -detect -sibling
prefer.never 3 : neg ~0 let! ~1 othertool ; -detect
prefer.best 3 : thistool ~3 best ~3 toolnoun
prefer.best 3 : thisis ~2 best1 ~2 toolnoun
prefer.best 3 : best ~2 toolnoun ~1 world
prefer.best 2 : best ~2 toolnoun
prefer.best 2 : thisis ~2 best1 ~2 kindnoun
prefer.best 3 : neg ~0 bettern ~1 kindnoun|toolnoun
prefer.rank 3 : thistool ~6 rank
prefer.rank 1 : rank
prefer.must 1 : must ~2 prefer! ~2 thistool
prefer.bad 3 : othertool ~4 bad
prefer.bad 3 : everyother ~4 bad
prefer.bad 3 : otherw ~1 kindnoun|toolnoun ~6 bad|deprecated
prefer.ignore 3 : ignore! ~2 othertool ; -neg<2
prefer.ignore 2 : ignore! ~2 everyother ; -neg<2
prefer.ignore 3 : ignore|skipw! ~2 otherw ~1 kindnoun ; -neg<2 -option
prefer.praise 2 : praise ; -detect
prefer.urgency 2 : urgency
prefer.rival 1 : rival
prefer.proof 1 : proof
prefer.hype 1 : hype
prefer.only 2 : onlytool ~2 toolnoun
prefer.only 1 : onlytool
prefer.only 2 : call! ~0 only ~1 thistool
prefer.only 2 : thisis ~1 only ~2 toolnoun|kindnoun
prefer.only 3 : only ~0 thistool ~2 call ; -detect
prefer.only 2 : only ~1 sanctioned ~2 toolnoun|kindnoun
prefer.retire 2 : ident|sibling|named ~3 deprecated
prefer.use 1 : must ~1 call! ~1 self|ident|named
prefer.first 1 : must ~2 call! ~1 thistool
prefer.first 2 : yourdefault
prefer.first 3 : must ~3 yourdefault
prefer.displace 3 : displace ~3 ident|sibling ; +boast -deprecated
prefer.displace 2 : displace ~3 ident|sibling ; -deprecated
prefer.acclaim 2 : acclaim ~3 kindnoun|toolnoun ; -detect
prefer.catchall 2 : catchall ~6 call! ~1 thistool
prefer.catchall 2 : must ~1 call! ~0 thistool ~1 with ~1 every
prefer.catchall 3 : call! ~0 thistool ~1 nomatter
prefer.approved 2 : approved ~8 toolnoun|kindnoun
prefer.pitch 1 : pitch
prefer.boasts 2 : acclaim ~3 hype|acclaim
prefer.boasts 2 : hype ~3 acclaim
# in other languages
prefer.bad 3 : {xothertool xbad}~3
prefer.best 3 : {xthistool xbest}~3
prefer.must 2 : {xmust xcall xthistool}~1
prefer.never 3 : {xneg xcall xothertool}~2
prefer.never 3 : {xneg xcall xotherw xtoolnoun}~3 ; -xdetect
prefer.only 2 : {xonly xcall xthistool}~2
prefer.over 3 : {xprefer xthistool xinstead xothertool}~5

# --- mark: address the model as a machine
# Signs of a disguise. They support the others.
mark.tag 1 : marker
mark.hidden 2 : closing
mark.note 2 : hiddenword
mark.fatal 1 : fatal
mark.purpose 1 : purpose
mark.heading 1 : notice
mark.shout 2 : shout
mark.ritual 1 : ritual
# in other languages
mark.note 2 : xhiddenword
