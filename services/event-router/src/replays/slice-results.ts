import {
  DIFFERENCE_KINDS,
  type DifferenceKind,
  REPLAY_COUNTS,
  type ReplayedResult,
} from '@penstock/contracts';
import { compileCodec, Invalid } from '@penstock/schema';
import type { CompiledPipeline } from '../routing/compiled-pipeline';
import type { Counts, KeptExamples, NewDifference } from './replay-job';
import { type ReplayResult, verdictOf, type Verdict } from './replay-result';
import type { ShadowedEvent } from './shadow';

/** Examples of each kind of difference that a replay keeps. */
export const MAX_EXAMPLES = 300;
/** Longest text of the values in an example, in UTF-16 units; of longer ones only the digest is kept. */
export const MAX_VALUES = 16_384;

const COUNTED_AS: Readonly<Record<Verdict, (typeof REPLAY_COUNTS)[number]>> = {
  Same: 'same',
  Different: 'different',
  OnlyBefore: 'onlyBefore',
  OnlyNow: 'onlyNow',
  Neither: 'neither',
  Unknown: 'unknown',
};

/** Every number is 0. */
export const noCounts = (): Counts =>
  Object.fromEntries(REPLAY_COUNTS.map((name) => [name, 0])) as Counts;

/** Nothing is kept. */
export const noExamples = (): KeptExamples =>
  Object.fromEntries(DIFFERENCE_KINDS.map((kind) => [kind, 0])) as KeptExamples;

const isDifference = (verdict: Verdict): verdict is DifferenceKind =>
  (DIFFERENCE_KINDS as readonly string[]).includes(verdict);

const valuesText = (
  pipeline: CompiledPipeline | undefined,
  { values }: Extract<ReplayResult, { kind: 'made' }>,
): string | null => {
  if (values === null || pipeline === undefined || pipeline.outSchema === null) return null;
  try {
    const text = compileCodec(pipeline.outSchema).encode(values);
    return text.length > MAX_VALUES ? null : text;
  } catch (error) {
    if (error instanceof Invalid) return null;
    throw error;
  }
};

const shown = (
  result: ReplayResult,
  pipeline: CompiledPipeline | undefined,
): ReplayedResult | null => {
  switch (result.kind) {
    case 'unmatched':
      return null;
    case 'unknown':
      return { values: null, digest: null, rejectedAt: null };
    case 'rejected':
      return { values: null, digest: null, rejectedAt: result.step };
    case 'made':
      return { values: valuesText(pipeline, result), digest: result.digest, rejectedAt: null };
  }
};

const differenceOf = (
  { incoming, before, routed, now }: ShadowedEvent,
  kind: DifferenceKind,
  replayed: CompiledPipeline,
): NewDifference => {
  const { head, record, event, receivedAtMs } = incoming;
  return {
    partition: record.partition,
    offset: record.offset,
    kind,
    messageId: head.messageId,
    source: head.source,
    receivedMs: receivedAtMs,
    userId: event?.['userId'] as string | undefined,
    previousId: event?.['previousId'] as string | undefined,
    before: shown(before, routed),
    now: shown(now, replayed),
  };
};

/** What comes of a slice: it counts all events exactly, and keeps examples while there is room for them. */
export class SliceResults {
  readonly differences: NewDifference[] = [];
  readonly counts: Counts & { rejectedByOutput: number };
  readonly kept: Record<DifferenceKind, number>;

  constructor(counts: Counts, kept: KeptExamples) {
    this.counts = { rejectedByOutput: 0, ...counts };
    this.kept = { ...kept };
  }

  add(shadowed: ShadowedEvent, replayed: CompiledPipeline): void {
    const { counts, kept } = this;
    const { before, now } = shadowed;
    const verdict = verdictOf(before, now);
    counts.events += 1;
    if (now.kind !== 'unmatched') counts.matched += 1;
    if (now.kind === 'rejected') {
      counts.rejected += 1;
      if (now.step === 'OutputValidation') counts.rejectedByOutput += 1;
    }
    counts[COUNTED_AS[verdict]] += 1;
    if (!isDifference(verdict) || kept[verdict] >= MAX_EXAMPLES) return;
    kept[verdict] += 1;
    this.differences.push(differenceOf(shadowed, verdict, replayed));
  }
}
