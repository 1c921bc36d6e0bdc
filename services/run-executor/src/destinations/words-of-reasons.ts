const wordsOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words that say nothing by themselves: they stay even where somebody's text has them among others. */
export const FUNCTION_WORDS = wordsOf(`
a an and are aren as at be been but by can cannot could couldn did do does doesn for from had has hasn have haven if
in into is isn it its more must no not of on one only or other s should so t than that the their then there these this
those to too was wasn were when which with would you your
`);

/**
 * Words in which applications explain why they refuse a user. Names of persons and places, of months and days, numbers
 * and colours are none of them.
 */
export const WORDS = wordsOf(`
accept accepted access account accounts actual add added address addresses after again against all allowed allowing
alphanumeric already also another answer any api appears application archived argument arguments array associated
assume attempt attempted attribute attributes audience auth authenticate authentication authorization authorized
automatically available back bad banned batch because before belongs between birthday blacklisted blank blocked body
boolean both bounce bounced breach cases category change changed changes character characters check cleaned code codes
column combination compliance configured conflict consent constraint contact contacts contain contained contains
content conversion convert converted correct correctly count countries country create created creating creation
credential credentials currency current custom customer customers data database datacenter date dates datetime decimal
default defined delete deleted denied deprecated detail details different digit digits disabled documentation
documented domain domains double doubled down due duplicate duplicated duplicates during e each either element
elements eligible email emails empty enabled encoding end ending ends enough ensure enter entered entity entry enum
error errors exceed exceeded exceeds exist existing exists expected expired export ext external fail failed fails
failure fake feature features field fields file find first fix fixed following forbidden forgotten format formats
formatted found full further future gateway generic get given gone greater group groups hard header headers however
http id identifier identifiers identify ids image immutable import imported include included includes incomplete
incorrect incorrectly index ineligible input inputs insert insufficient integer internal international invalid
invalidated item items json key keys kind known language large larger last later least length less letter letters like
limit limited limits line link list lists local locale lock locked login looks lookup lot lower lowercase mail
malformed many maximum mean means member members merge merged message messages method minimum minus missing mobile
moment most multiple name named names near needed needs negative never new next node none notation nothing now null
number numbers numeric oauth object objects occurred offset old opt option optional options order our out outside over
owner parameter parameters parse parsed parsing part partial parts pass passed password past path pattern payload
pending permanent permanently permission permissions permitted phone placeholder plan please points portal positive
possible post postal prefix present previous previously private privileges problem process processed processing
profile profiles prohibited properties property protected provide provided provider public put queries query quota
range rate rather re reach reached read readable real reason received recently recipient record records reference
refused regex region reject rejected related remove removed repeat repeated replaced request requested requests
require required requires reserved resource resources response restricted resubscribe result results retry review
revoked role same schema scope scopes second secret see seem seems select send sender sent server service set sets
setting settings shared shipping short shorter signed signup signups simulated since size sms some soon source
spam special specific specified standard start starting state states status still stop store stored street string
strings submit submitted subscribe subscribed subscriber subscribers subscription such sufficient supplied support
supported supports suppressed syntax system tag tags taken tax temporarily temporary test text texts they time timed
timeout times timestamp timezone title token tokens try type types unable unauthorized unavailable undefined under
unexpected unique unit units unknown unprocessable unrecognized unset unsubscribe unsubscribed unsupported until
update updated updates updating upper uppercase url use used user username users uses using valid validate validated
validation value values ve vendor verification verified verify version very via violates violation violations wait
warehouse we webhook whether whitespace who whose without word words workspace writable write writing written wrong
year zip zone
`);
