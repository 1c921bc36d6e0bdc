import type { PipelineId } from '../ids';
import { type EventPipelineState, pipelineKey } from '../state';
import { pack, type Packed, unpack } from './packed';

/** Characters of the versions that were read from elsewhere and are remembered. */
const MAX_LEARNED_LENGTH = 32_000_000;

const lengthOf = (packed: Packed<EventPipelineState>): number =>
  typeof packed === 'string' ? packed.length : 1_024;

/**
 * Superseded versions of pipelines, compressed: those that the log still holds, and those that were read from
 * elsewhere, of which the least recently used are forgotten.
 */
export class PipelineTexts {
  private readonly published = new Map<string, Packed<EventPipelineState>>();
  /** The one that was used last comes last. */
  private readonly learned = new Map<string, Packed<EventPipelineState>>();
  private learnedLength = 0;

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
    this.learned.set(key, packed);
    this.learnedLength += lengthOf(packed);
    for (const oldest of this.learned.keys()) {
      if (this.learnedLength <= this.maxLearnedLength || oldest === key) break;
      this.drop(oldest);
    }
  }

  has(id: PipelineId, version: number): boolean {
    const key = pipelineKey(id, version);
    return this.published.has(key) || this.learned.has(key);
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
    const packed = this.learned.get(key);
    if (packed === undefined) return undefined;
    this.learned.delete(key);
    this.learned.set(key, packed);
    return packed;
  }

  private drop(key: string): void {
    const packed = this.learned.get(key);
    if (packed === undefined) return;
    this.learned.delete(key);
    this.learnedLength -= lengthOf(packed);
  }
}
