import type { DeliveryKey, OpenDelivery } from './changes';
import { PackedNames } from './packed-names';

/** The changes of a partition's open deliveries in one commit. */
export interface LoggedChange {
  /** True: `open` has all open deliveries, and earlier rows of the log are obsolete. */
  readonly isSnapshot: boolean;
  readonly open: readonly OpenDelivery[];
  readonly closed: readonly DeliveryKey[];
}

/**
 * `[is snapshot, first offset, names, open, closed]`. `open` repeats (offset less the first, index of the name), and
 * for those with attempts or a due time (offset less the first, -1 - index, attempts, due); `closed` repeats (offset
 * less the first, index).
 */
type Packed = [0 | 1, number, string[], number[], number[]];

/** Packs a row of the change log: about 6 bytes for each opened or closed delivery, and each pipeline's name once. */
export const packChange = ({ isSnapshot, open, closed }: LoggedChange): string => {
  const names = new PackedNames();
  const first = open[0]?.offset ?? closed[0]?.offset ?? 0;
  const opened: number[] = [];
  for (const delivery of open) {
    const { offset, attempts, dueMs } = delivery;
    const index = names.of(delivery);
    if (attempts === 0 && dueMs === 0) opened.push(offset - first, index);
    else opened.push(offset - first, -1 - index, attempts, dueMs);
  }
  const ended: number[] = [];
  for (const { offset, pipeline } of closed) ended.push(offset - first, names.ofAny(pipeline));
  const packed: Packed = [isSnapshot ? 1 : 0, first, names.names, opened, ended];
  return JSON.stringify(packed);
};

export const unpackChange = (text: string): LoggedChange => {
  const [snapshot, first, texts, opened, ended] = JSON.parse(text) as Packed;
  const names = PackedNames.read(texts);
  const nameAt = (index: number): OpenDelivery => {
    const name = names[index];
    if (name === undefined) throw new Error('a row of the change log names no such pipeline');
    return { ...name, offset: 0, attempts: 0, dueMs: 0 };
  };
  const open: OpenDelivery[] = [];
  for (let at = 0; at < opened.length; at += 2) {
    const offset = first + (opened[at] ?? 0);
    const index = opened[at + 1] ?? 0;
    if (index >= 0) open.push({ ...nameAt(index), offset });
    else {
      const [attempts = 0, dueMs = 0] = opened.slice(at + 2, at + 4);
      open.push({ ...nameAt(-1 - index), offset, attempts, dueMs });
      at += 2;
    }
  }
  const closed: DeliveryKey[] = [];
  for (let at = 0; at < ended.length; at += 2) {
    const { pipeline } = nameAt(ended[at + 1] ?? 0);
    closed.push({ offset: first + (ended[at] ?? 0), pipeline });
  }
  return { isSnapshot: snapshot === 1, open, closed };
};
