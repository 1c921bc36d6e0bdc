import type { PipelineId } from '../ids';
import { indexAt, type Span } from './span';
import type { PipelineState } from '../state';

interface Version {
  readonly position: number;
  readonly state: PipelineState;
}

/** All versions of the pipelines of one connection, by the positions from which they held. */
export class PipelinesHistory {
  private readonly versions = new Map<PipelineId, Version[]>();

  /** @returns whether it is new. */
  add(position: number, state: PipelineState): boolean {
    const versions = this.versions.get(state.id) ?? [];
    const behind = versions.findLastIndex((each) => each.state.version <= state.version);
    if (versions[behind]?.state.version === state.version) return false;
    versions.splice(behind + 1, 0, { position, state });
    this.versions.set(state.id, versions);
    return true;
  }

  /** Each in the version of then, sorted by their ids; those that were deleted then are left out. */
  at(position: number): PipelineState[] {
    return [...this.versions.values()]
      .flatMap((versions) => versions[indexAt(versions, position)]?.state ?? [])
      .filter(({ deleted }) => !deleted)
      .sort((left, right) => (left.id < right.id ? -1 : 1));
  }

  spanAt(position: number): Span {
    let from = 0;
    let until = Infinity;
    for (const versions of this.versions.values()) {
      const index = indexAt(versions, position);
      from = Math.max(from, versions[index]?.position ?? 0);
      until = Math.min(until, versions[index + 1]?.position ?? Infinity);
    }
    return { from, until };
  }
}
