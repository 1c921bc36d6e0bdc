import { ROOT_CONTEXT, SpanKind, trace, TraceFlags } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import { PENSTOCK_VARIABLES } from '../../config/penstock-variables';
import { readConfig } from '../../config/read-config';
import { samplerOf } from './sampler-of';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
/** By its sum of digits, the first trace that any ratio samples, and the last. */
const [FIRST, LAST] = [`${'0'.repeat(31)}1`, `ffffffff${'0'.repeat(24)}`];

const isSampled = (env: Record<string, string>, traceId: string, parent?: TraceFlags): boolean => {
  const config = readConfig(env, PENSTOCK_VARIABLES, [], { folder: '/nowhere' });
  const context =
    parent === undefined
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, {
          traceId,
          spanId: '00f067aa0ba902b7',
          traceFlags: parent,
          isRemote: true,
        });
  const sampler = samplerOf(config);
  const { decision } = sampler.shouldSample(context, traceId, 'name', SpanKind.SERVER, {}, []);
  return decision === SamplingDecision.RECORD_AND_SAMPLED;
};

const [YES, NO] = [TraceFlags.SAMPLED, TraceFlags.NONE];

it('is by default one in a hundred, and what the parent is', () => {
  expect(isSampled({}, FIRST)).toBe(true);
  expect(isSampled({}, LAST)).toBe(false);
  expect(isSampled({}, LAST, YES)).toBe(true);
  expect(isSampled({}, FIRST, NO)).toBe(false);
});

it.each([
  ['always_on', LAST, NO, true],
  ['always_off', FIRST, YES, false],
  ['traceidratio', LAST, YES, false],
  ['traceidratio', FIRST, NO, true],
  ['parentbased_always_on', LAST, undefined, true],
  ['parentbased_always_on', LAST, NO, false],
  ['parentbased_always_off', FIRST, undefined, false],
  ['parentbased_always_off', LAST, YES, true],
  ['parentbased_traceidratio', LAST, YES, true],
] as const)('%s of trace %s with a parent of flags %s: %s', (name, traceId, parent, sampled) => {
  expect(isSampled({ OTEL_TRACES_SAMPLER: name }, traceId, parent)).toBe(sampled);
});

it.each([
  ['0', FIRST, false],
  ['1', LAST, true],
  ['0.5', LAST, false],
])('with a ratio of %s, trace %s: %s', (ratio, traceId, sampled) => {
  expect(isSampled({ OTEL_TRACES_SAMPLER_ARG: ratio }, traceId)).toBe(sampled);
});

it('lets a process decide as another one about the same trace', () => {
  const env = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.3' };
  expect(isSampled(env, TRACE_ID)).toBe(isSampled(env, TRACE_ID, NO));
});
