import { eventCodec } from '@penstock/contracts';
import type { Work } from './compare';

const over = <In>(inputs: readonly In[], work: (input: In) => unknown): Work => ({
  size: inputs.length,
  run: () => {
    let last: unknown;
    for (const input of inputs) last = work(input);
    return last;
  },
});

/** Reads events by their schema; the baseline is `JSON.parse` of the same texts. */
export const decodeWorks = (texts: readonly string[]): [ours: Work, baseline: Work] => [
  over(texts, (text) => eventCodec.parse(text)),
  over(texts, (text) => JSON.parse(text) as unknown),
];

/** Validates and writes events by their schema; the baseline is `JSON.stringify` of the same objects. */
export const encodeWorks = (texts: readonly string[]): [ours: Work, baseline: Work] => [
  over(
    texts.map((text) => eventCodec.parse(text)),
    (record) => eventCodec.encode(record),
  ),
  over(
    texts.map((text) => JSON.parse(text) as unknown),
    (value) => JSON.stringify(value),
  ),
];
