import type { PipelineId } from '../ids';
import { type EventPipelineState, pipelineKey } from '../state';
import { pack, type Packed, unpack } from './packed';

/** Characters of the versions that were read from elsewhere and are remembered. */
const MAX_LEARNED_LENGTH = 32_000_000;

const lengthOf = (packed: Packed<EventPipelineState>): number =>
  typeof packed === 'string' ? packed.length : 1_024;

interface Learned {
  readonly packed: Packed<EventPipelineState>;
  /** Which use of all was the last one. */
  readonly use: number;
}

/**
 * Superseded versions of pipelines, compressed: those that the log still holds, and those that were read from
 * elsewhere, of which the least recently used are forgotten.
 */
export class PipelineTexts {
  private readonly published = new Map<string, Packed<EventPipelineState>>();
  /** The one that was used last comes last. */
  private readonly learned = new Map<string, Learned>();
  private learnedLength = 0;
  private uses = 0;
  /** What was used since any of these uses is kept, however much that is. */
  private readonly holds = new Set<{ readonly since: number }>();

  constructor(private readonly maxLearnedLength = MAX_LEARNED_LENGTH) {}

  /** Holds a version until {@link forget}. */
  publish(state: EventPipelineState): void {
    this.published.set(pipelineKey(state.id, state.version), pack(state, JSON.stringify(state)));
  }

  /** Holds a version as long as there is room. */
  learn(state: EventPipelineState): void {
    const key = pipelineKey(state.id, state.version);
    if (this.published.has(key)) return;
    this.drop(key);
    const packed = pack(state, JSON.stringify(state));
    this.keep(key, packed);
    this.learnedLength += lengthOf(packed);
    this.makeRoom();
  }

  /**
   * Keeps what is learned, asked for or used from now on, though it were more than there is room for.
   *
   * @returns a function that ends that. Call it soon.
   */
  hold(): () => void {
    const held = { since: this.uses };
    this.holds.add(held);
    return () => {
      this.holds.delete(held);
      this.makeRoom();
    };
  }

  has(id: PipelineId, version: number): boolean {
    const key = pipelineKey(id, version);
    return this.published.has(key) || this.used(key) !== undefined;
  }

  /** @returns another object each time when it is large. */
  get(id: PipelineId, version: number): EventPipelineState | undefined {
    const key = pipelineKey(id, version);
    const packed = this.published.get(key) ?? this.used(key);
    return packed === undefined ? undefined : unpack(packed);
  }

  /** The log holds the version no more. */
  forget(id: PipelineId, version: number): void {
    this.published.delete(pipelineKey(id, version));
  }

  /** How many versions are held. */
  get size(): number {
    return this.published.size + this.learned.size;
  }

  private used(key: string): Packed<EventPipelineState> | undefined {
    const found = this.learned.get(key);
    if (found === undefined) return undefined;
    this.learned.delete(key);
    this.keep(key, found.packed);
    return found.packed;
  }

  private keep(key: string, packed: Packed<EventPipelineState>): void {
    this.uses += 1;
    this.learned.set(key, { packed, use: this.uses });
  }

  /** Forgets the least recently used ones, but the last one and those that are held. */
  private makeRoom(): void {
    const since = Math.min(this.uses - 1, ...[...this.holds].map((held) => held.since));
    for (const [key, { use }] of this.learned) {
      if (this.learnedLength <= this.maxLearnedLength || use > since) return;
      this.drop(key);
    }
  }

  private drop(key: string): void {
    const found = this.learned.get(key);
    if (found === undefined) return;
    this.learned.delete(key);
    this.learnedLength -= lengthOf(found.packed);
  }
}
