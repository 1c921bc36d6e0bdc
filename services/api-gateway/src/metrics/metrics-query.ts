import {
  type Instant,
  MAX_METRIC_POINTS,
  type MetricsPeriod,
  STEP_SIZES,
  type StepSize,
} from '@penstock/contracts';
import { malformed } from '../http/read-json';
import { oneOf, type JsonSchema, TIME } from '../openapi/schema/json-schema';
import { inQuery, type Parameter } from '../openapi/schema/parameters';
import { parameter, type QueryParameters } from '../validation/page';
import { timeParameter } from '../validation/time-parameter';

const NAMES = Object.keys(STEP_SIZES) as readonly StepSize[];

const DEFAULT_SIZE: StepSize = 'hour';
/** Steps of time from `from` to `to` when `from` is left out. */
const DEFAULT_POINTS = 60;

const STEP_SIZE: JsonSchema = oneOf(NAMES);

export const METRICS_QUERY: readonly Parameter[] = [
  inQuery(
    'from',
    'The beginning, made earlier to that of its step of time; 60 steps before the end when it is left out. Counts are kept by ' +
      'minute for 2 days, by hour for 60 days and by day for ever.',
    TIME,
  ),
  inQuery(
    'to',
    'The end, made later to that of its step of time; now when it is left out. There are at most 1,440 steps.',
    TIME,
  ),
  inQuery(
    'stepSize',
    'Length of the steps of time, in UTC; `hour` when it is left out.',
    STEP_SIZE,
  ),
];

const isSize = (text: string): text is StepSize => (NAMES as readonly string[]).includes(text);

const sizeIn = (query: QueryParameters): StepSize => {
  const text = parameter(query, 'stepSize') ?? DEFAULT_SIZE;
  if (isSize(text)) return text;
  throw malformed('/stepSize', `must be ${NAMES.join(' or ')}`);
};

const instant = (ms: number): Instant => new Date(ms).toISOString() as Instant;

/** @throws Refusal BadRequest for a beginning that is not kept so finely, or has not come. */
const checkBeginning = (fromMs: number, nowMs: number, stepSize: StepSize): void => {
  const { keptMs, ms } = STEP_SIZES[stepSize];
  if (fromMs > nowMs) throw malformed('/from', 'must not be in the future');
  if (keptMs === null || fromMs > nowMs - keptMs - ms) return;
  const days = keptMs / STEP_SIZES.day.ms;
  const longer = stepSize === 'minute' ? 'hour' : 'day';
  throw malformed(
    '/from',
    `must be within ${days} days for ${stepSize}: use ${longer} for earlier times`,
  );
};

/**
 * Reads the period of metrics, in whole steps of time.
 *
 * @throws Refusal BadRequest that names the parameter.
 */
export const metricsPeriod = (query: QueryParameters, nowMs: number): MetricsPeriod => {
  const stepSize = sizeIn(query);
  const { ms } = STEP_SIZES[stepSize];
  const [from, to] = [timeParameter(query, 'from'), timeParameter(query, 'to')];
  const toMs = Math.ceil((to === undefined ? nowMs : Date.parse(to)) / ms) * ms;
  const wantedMs = from === undefined ? toMs - DEFAULT_POINTS * ms : Date.parse(from);
  const fromMs = Math.floor(wantedMs / ms) * ms;
  if (fromMs >= toMs) throw malformed('/to', 'must be after from');
  checkBeginning(fromMs, nowMs, stepSize);
  if (toMs - fromMs > MAX_METRIC_POINTS * ms)
    throw malformed('/from', `must be at most ${MAX_METRIC_POINTS} steps of ${stepSize} before to`);
  return { from: instant(fromMs), to: instant(toMs), stepSize };
};
