import type { PipelineId } from '@penstock/contracts';
import type { CompiledPipeline } from './compiled-pipeline';

/** A version of a pipeline, as stored and open deliveries name it. */
export interface PipelineVersion {
  readonly pipeline: PipelineId;
  readonly version: number;
}

const keyOf = ({ pipeline, version }: PipelineVersion): string => `${pipeline}@${String(version)}`;

/** Versions of pipelines that were looked up before they are needed, without waiting. */
export class PipelineVersions {
  private readonly found = new Map<string, CompiledPipeline | undefined>();

  has(version: PipelineVersion): boolean {
    return this.found.has(keyOf(version));
  }

  /** @param pipeline undefined: there never was such a version. */
  set(version: PipelineVersion, pipeline: CompiledPipeline | undefined): void {
    this.found.set(keyOf(version), pipeline);
  }

  /**
   * @returns undefined when there never was such a version.
   * @throws Error when it was not looked up.
   */
  get(version: PipelineVersion): CompiledPipeline | undefined {
    const key = keyOf(version);
    if (!this.found.has(key)) throw new Error(`pipeline ${key} was not looked up`);
    return this.found.get(key);
  }
}
