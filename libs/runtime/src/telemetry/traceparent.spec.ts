import { parseTraceparent, sampledTraceparent } from './traceparent';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';

it('reads what it writes', () => {
  expect(parseTraceparent(sampledTraceparent(TRACE_ID, SPAN_ID))).toEqual({
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    isSampled: true,
  });
});

it.each([
  ['00', false],
  ['01', true],
  ['02', false],
  ['03', true],
  ['ff', true],
])('flags %s: sampled is %s', (flags, isSampled) => {
  expect(parseTraceparent(`00-${TRACE_ID}-${SPAN_ID}-${flags}`)).toMatchObject({ isSampled });
});

it.each([
  undefined,
  '',
  'x',
  `01-${TRACE_ID}-${SPAN_ID}-01`,
  `00-${TRACE_ID}-${SPAN_ID}-01-more`,
  `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`,
  `00-${TRACE_ID.slice(1)}-${SPAN_ID}-01`,
  `00-${'0'.repeat(32)}-${SPAN_ID}-01`,
  `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
  `00-${TRACE_ID}-${SPAN_ID}-1`,
])('does not read %s', (text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});
