import {
  END_STATES,
  type EndingCount,
  type LatencyView,
  type MetricsPeriod,
  PIPELINE_STEPS,
  type PipelineMetrics,
  type PipelineNumbers,
  type PipelinePoint,
  type SourceMetrics,
  type SourceNumbers,
  type SourcePoint,
  STEP_SIZES,
} from '@penstock/contracts';
import type { Plain } from '@penstock/settings';
import {
  arrayOf,
  described,
  DOUBLE,
  INTEGER,
  type JsonSchema,
  object,
  oneOf,
  orNull,
  ref,
  TEXT,
  TIME,
} from '../schema/json-schema';
import { withExample } from './answer';

const STEPS = PIPELINE_STEPS.join(', ');

const BY_STEP: JsonSchema = {
  type: 'array',
  items: INTEGER,
  minItems: PIPELINE_STEPS.length,
  maxItems: PIPELINE_STEPS.length,
};

const PERIOD: Readonly<Record<keyof MetricsPeriod, JsonSchema>> = {
  from: TIME,
  to: described(TIME, 'The end, which does not belong to the period.'),
  stepSize: oneOf(Object.keys(STEP_SIZES)),
};

const AT = described(TIME, 'The beginning of the step of time.');

const ENDING = object<keyof EndingCount>({
  state: oneOf(END_STATES),
  code: described(TEXT, 'The reason; empty when the state needs none.'),
  count: INTEGER,
});

const LATENCY = object<keyof LatencyView>({ p50: DOUBLE, p95: DOUBLE, p99: DOUBLE });

const NUMBERS: Readonly<Record<keyof PipelineNumbers, JsonSchema>> = {
  accepted: described(INTEGER, 'Events that were read for the pipeline.'),
  opened: described(INTEGER, 'Deliveries that were opened: the filter has matched.'),
  passed: described(
    BY_STEP,
    `Events that passed ${STEPS}. The first is counted when the event is read, the others when it has ended.`,
  ),
  failed: described(
    BY_STEP,
    `Events that failed at ${STEPS}; a repeated event at the first, one that the filter leaves out at Filter.`,
  ),
  endings: described(arrayOf(ENDING), 'How events ended, by state and code.'),
  retries: described(INTEGER, 'Requests beyond the first, of the deliveries that have ended.'),
  latency: orNull(
    described(
      LATENCY,
      'Milliseconds from the receipt of an event to its delivery, wrong by at most 5 %. Null: none was delivered.',
    ),
  ),
};

const SOURCE: Readonly<Record<keyof SourceNumbers, JsonSchema>> = {
  accepted: described(INTEGER, 'All events that were read.'),
  duplicates: described(INTEGER, 'Repeated ones.'),
  differentBodies: described(INTEGER, 'Repeated ones with another body.'),
  suppressed: described(INTEGER, 'Those of suppressed users, without the repeated ones.'),
};

const EXAMPLE_NUMBERS = {
  accepted: 100,
  opened: 60,
  passed: [98, 98, 60, 59, 59, 58],
  failed: [2, 0, 38, 1, 0, 1],
  endings: [
    { state: 'Delivered', code: '', count: 58 },
    { state: 'Filtered', code: '', count: 38 },
    { state: 'Rejected', code: '', count: 1 },
    { state: 'Rejected', code: '400', count: 1 },
    { state: 'Duplicate', code: '', count: 2 },
  ],
  retries: 3,
  latency: { p50: 48.3, p95: 310.5, p99: 1210 },
};
const EXAMPLE_EVENTS = { accepted: 100, duplicates: 2, differentBodies: 0, suppressed: 1 };

const exampleOf = (numbers: Readonly<Record<string, Plain>>): Record<string, Plain> => ({
  from: '2026-03-01T09:00:00.000Z',
  to: '2026-03-01T10:00:00.000Z',
  stepSize: 'hour',
  total: numbers,
  points: [{ at: '2026-03-01T09:00:00.000Z', ...numbers }],
});

const OF_PIPELINE = withExample(
  object<keyof MetricsPeriod | keyof PipelineMetrics>({
    ...PERIOD,
    total: described(object(NUMBERS), 'Of the whole period.'),
    points: described(
      arrayOf(object<keyof PipelinePoint>({ at: AT, ...NUMBERS })),
      'All steps of time, in order.',
    ),
    lag: described(
      INTEGER,
      'Seconds for which the oldest event has waited that was not delivered yet, now; 0 below five seconds.',
    ),
  }),
  { ...exampleOf(EXAMPLE_NUMBERS), lag: 0 },
);

const OF_SOURCE = withExample(
  object<keyof MetricsPeriod | keyof SourceMetrics>({
    ...PERIOD,
    total: described(object(SOURCE), 'Of the whole period.'),
    points: described(
      arrayOf(object<keyof SourcePoint>({ at: AT, ...SOURCE })),
      'All steps of time, in order.',
    ),
  }),
  exampleOf(EXAMPLE_EVENTS),
);

/** Components for metrics. */
export const METRICS: Readonly<Record<string, JsonSchema>> = {
  PipelineMetrics: OF_PIPELINE,
  SourceMetrics: OF_SOURCE,
  ConnectionMetrics: withExample(
    {
      description: 'Of a destination, or of a source.',
      anyOf: [ref('PipelineMetrics'), ref('SourceMetrics')],
    },
    exampleOf(EXAMPLE_EVENTS),
  ),
};
