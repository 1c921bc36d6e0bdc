import {
  type Acceptance,
  type OtherEvent,
  TRACED_FORMS,
  TRACED_STATES,
  type TracedAttempt,
  type TracedCondition,
  type TracedDuplicate,
  type TracedEvent,
  type TracedFilter,
  type TracedPipeline,
  type TracedTransformation,
  type TraceKept,
  type TraceView,
} from '@penstock/contracts';
import {
  ANY_OBJECT,
  arrayOf,
  described,
  FLAG,
  INTEGER,
  type JsonSchema,
  object,
  oneOf,
  orNull,
  ref,
  TEXT,
  TIME,
} from '../schema/json-schema';
import { EXAMPLE_ID, EXAMPLE_TIME, withExample } from './answer';

const ID = ref('Id');
const PLACE = described(TEXT, 'Opaque; names the event in the access log.');
const NUMBER: JsonSchema = { type: 'number' };

const EVENT = object<keyof TracedEvent>({
  place: PLACE,
  messageId: TEXT,
  form: described(
    oneOf(TRACED_FORMS),
    '`Gone`: retention has removed it from the log, or another log has taken its place.',
  ),
  reason: described(TEXT, 'Why it is unreadable; else empty.'),
  connection: orNull(described(ID, 'The source; null: it is gone.')),
  acceptedAt: orNull(described(TIME, 'Null: it is gone.')),
  acceptedBy: orNull(
    described(
      object<keyof Acceptance>({
        gateway: described(TEXT, 'The process, as its log names it.'),
        route: described(TEXT, 'The route, without a key that it contains.'),
      }),
      'Null: it is gone, or a gateway of an earlier version has accepted it.',
    ),
  ),
  event: orNull(described(ANY_OBJECT, 'As it was accepted; null: it cannot be read.')),
  isSuppressed: described(FLAG, 'Whether its user is suppressed now: then nobody sees values.'),
});

const DUPLICATE = object<keyof TracedDuplicate>({
  place: PLACE,
  at: TIME,
  isDifferent: described(FLAG, 'Whether it has another body than the first one.'),
});

const OTHER = object<keyof OtherEvent>({ place: PLACE, connection: ID, acceptedAt: TIME });

const CONDITION = object<keyof TracedCondition>({
  property: TEXT,
  operator: TEXT,
  values: arrayOf(TEXT),
  seen: described({}, 'What the event has there; null: nothing.'),
  holds: FLAG,
});

const FILTER = object<keyof TracedFilter>({
  logical: oneOf(['and', 'or']),
  conditions: arrayOf(CONDITION),
});

const TRANSFORMATION = object<keyof TracedTransformation | 'isRecomputed'>({
  kind: oneOf(['Mapping', 'Function']),
  output: orNull(described(ANY_OBJECT, 'Null: it has failed, or was not run.')),
  failed: orNull(
    described(
      oneOf(['Transformation', 'OutputValidation']),
      'The step that has failed; null: none, or it was not run.',
    ),
  ),
  error: described(TEXT, 'Why there is no output; else empty.'),
  console: described(TEXT, 'What the function wrote to its console.'),
  isRecomputed: described(
    { const: true },
    'It was run again for the trace: what depends on more than the event, such as the time, may differ.',
  ),
});

const ATTEMPT = object<keyof TracedAttempt>({
  attempt: described(INTEGER, 'Its number, from 1.'),
  at: TIME,
  isSuccessful: FLAG,
  status: orNull(described(INTEGER, 'Of the answer; null: there was none, or it is not known.')),
  reason: described(TEXT, 'Why it has failed.'),
  nextAttemptAt: orNull(described(TIME, 'When it was due again; null: it had ended.')),
});

const PIPELINE = object<keyof TracedPipeline | 'omittedAttempts'>({
  pipeline: ID,
  pipelineVersion: orNull(
    described(INTEGER, 'The version that the event was routed by; null: unknown.'),
  ),
  connection: orNull(described(ID, 'The destination; null: unknown.')),
  state: described(
    oneOf(TRACED_STATES),
    '`Open`: matched and not ended. `Unread`: no router has read the event yet. `Unknown`: not known any more.',
  ),
  step: orNull(described(TEXT, 'The step at which it ended.')),
  code: described(TEXT, 'Why it ended, from a short list.'),
  reason: described(TEXT, 'For people.'),
  endedAt: orNull(TIME),
  nextAttemptAt: orNull(TIME),
  delivery: orNull(described(TEXT, 'Id of the stored delivery, when there is one.')),
  filter: orNull(FILTER),
  transformation: orNull(
    described(TRANSFORMATION, 'Its input is the event; null: the event does not come to it.'),
  ),
  attemptCount: described(INTEGER, 'Requests that were sent.'),
  attempts: described(arrayOf(ATTEMPT), 'The first ten and the last ten.'),
  omittedAttempts: described(INTEGER, 'Number of requests that are not listed.'),
});

const KEPT = object<keyof TraceKept>({
  messageIdHours: NUMBER,
  eventDays: NUMBER,
  outcomeDays: NUMBER,
  deadLetterDays: NUMBER,
});

const EXAMPLE_EVENT = { type: 'track', event: 'Add to Cart', userId: 'user-1' };

/** Components for traces. */
export const TRACES: Readonly<Record<string, JsonSchema>> = {
  Trace: withExample(
    object<keyof TraceView>({
      event: EVENT,
      duplicates: described(
        arrayOf(DUPLICATE),
        'Later events with its source, anonymous id and message id, at most 100; they are delivered to nobody.',
      ),
      others: described(
        arrayOf(OTHER),
        'Other events under this id, from other sources or of other anonymous ids.',
      ),
      pipelines: described(arrayOf(PIPELINE), 'Those that it came to first.'),
      isCut: described(FLAG, 'Whether pipelines are left out: ask with `pipeline`.'),
      unknown: described(arrayOf(TEXT), 'What is not known any more, in sentences.'),
      kept: described(KEPT, 'How far back is known what a trace is made of.'),
      isMasked: described(FLAG, 'Whether every value is replaced by `••••`.'),
    }),
    {
      event: {
        place: 'My44MTI',
        messageId: 'c6d4a1f0-8a0e-4a3b-9d3f-0b8f5c2f7a11',
        form: 'Readable',
        reason: '',
        connection: EXAMPLE_ID,
        acceptedAt: EXAMPLE_TIME,
        acceptedBy: { gateway: 'aB3_-90x', route: '/v1/batch' },
        event: EXAMPLE_EVENT,
        isSuppressed: false,
      },
      duplicates: [],
      others: [],
      pipelines: [
        {
          pipeline: EXAMPLE_ID,
          pipelineVersion: 3,
          connection: EXAMPLE_ID,
          state: 'Delivered',
          step: 'Finalize',
          code: '',
          reason: '',
          endedAt: EXAMPLE_TIME,
          nextAttemptAt: null,
          delivery: null,
          filter: {
            logical: 'and',
            conditions: [
              {
                property: 'event',
                operator: 'is',
                values: ['Add to Cart'],
                seen: 'Add to Cart',
                holds: true,
              },
            ],
          },
          transformation: null,
          attemptCount: 1,
          attempts: [
            {
              attempt: 1,
              at: EXAMPLE_TIME,
              isSuccessful: true,
              status: 200,
              reason: '',
              nextAttemptAt: null,
            },
          ],
          omittedAttempts: 0,
        },
      ],
      isCut: false,
      unknown: [],
      kept: { messageIdHours: 24, eventDays: 30, outcomeDays: 30, deadLetterDays: 14 },
      isMasked: false,
    },
  ),
};
