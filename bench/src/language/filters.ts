import { EVENT_SCHEMA } from '@penstock/contracts';
import { compileFilter, parseFilter } from '@penstock/filters';
import {
  compareDateTimes,
  isJsonObject,
  JsonText,
  parseJson,
  type RecordValue,
} from '@penstock/schema';
import type { Work } from './compare';

const FILTER = compileFilter(
  parseFilter(
    parseJson(
      JSON.stringify({
        logical: 'and',
        conditions: [
          { property: 'type', operator: 'is one of', values: ['track', 'page', 'identify'] },
          { property: 'receivedAt', operator: 'is after', values: ['2025-01-01'] },
          { property: 'traits.plan', operator: 'is not', values: ['free'] },
          { property: 'context.locale', operator: 'starts with', values: ['en'] },
          { property: 'context.screen.width', operator: 'is greater than', values: ['300'] },
        ],
      }),
    ),
    EVENT_SCHEMA,
    'SourceEvent',
  ),
  EVENT_SCHEMA,
);

const TYPES = new Set<unknown>(['track', 'page', 'identify']);

/** The same conditions by hand, missing and null members included. */
const handWritten = (record: RecordValue): boolean => {
  if (!TYPES.has(record['type'])) return false;
  const receivedAt = record['receivedAt'];
  if (typeof receivedAt !== 'string') return false;
  if (compareDateTimes(receivedAt, '2025-01-01T00:00:00Z') <= 0) return false;
  const traits = record['traits'];
  const inTraits = traits instanceof JsonText ? traits.value : undefined;
  if (isJsonObject(inTraits) && inTraits.get('plan') === 'free') return false;
  const context = record['context'] as RecordValue | null | undefined;
  const locale = context?.['locale'];
  if (typeof locale !== 'string' || !locale.startsWith('en')) return false;
  const screen = context?.['screen'] as RecordValue | null | undefined;
  const width = screen?.['width'];
  return typeof width === 'number' && width > 300;
};

const over = (
  records: readonly RecordValue[],
  matches: (record: RecordValue) => boolean,
): Work => ({
  size: records.length,
  run: () => {
    let count = 0;
    for (const record of records) if (matches(record)) count += 1;
    return count;
  },
});

/** A filter of five conditions, and the same by hand. @throws Error when they differ. */
export const filterWorks = (records: readonly RecordValue[]): [ours: Work, baseline: Work] => {
  for (const record of records)
    if (FILTER.matches(record) !== handWritten(record)) throw new Error('the filters differ');
  return [over(records, FILTER.matches), over(records, handWritten)];
};
