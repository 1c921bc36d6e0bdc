/** A time to wait, chosen anew each time when the ends differ. */
export interface OperationDelay {
  readonly fromMs: number;
  readonly toMs: number;
}

const MAX_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * Reads a duration (`200ms`, `1.5s`, units `ms`, `s`, `m`, `h`) or a range of two (`100ms-2s`), at most 24 h.
 *
 * @returns undefined when the text is neither, is too long, or is a range that begins after its end.
 */
export const parseOperationDelay = (text: string): OperationDelay | undefined => {
  const [first = '', last = first, ...more] = text.split('-');
  const [fromMs, toMs] = [durationMs(first), durationMs(last)];
  return more.length === 0 && fromMs <= toMs && toMs <= MAX_MS ? { fromMs, toMs } : undefined;
};

/** @param random uniform in [0, 1) */
export const chooseDelayMs = ({ fromMs, toMs }: OperationDelay, random: number): number =>
  fromMs + (toMs - fromMs) * random;

const durationMs = (text: string): number => {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  return Number(amount) * (UNIT_MS[unit] ?? Number.NaN);
};
