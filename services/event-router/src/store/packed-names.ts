import type { PipelineId } from '@penstock/contracts';

/** A pipeline, and the version that an event was routed by. */
export interface PipelineVersion {
  readonly pipeline: PipelineId;
  readonly version: number;
}

/** The table of pipeline versions in a packed row, each once; the row refers to them by index. */
export class PackedNames {
  readonly names: string[] = [];
  private readonly indexes = new Map<PipelineId, Map<number, number>>();
  private readonly anyVersion = new Map<PipelineId, number>();

  of({ pipeline, version }: PipelineVersion): number {
    const known = this.indexes.get(pipeline)?.get(version);
    if (known !== undefined) return known;
    const index = this.names.push(`${pipeline}@${version}`) - 1;
    const ofPipeline = this.indexes.get(pipeline) ?? new Map<number, number>();
    this.indexes.set(pipeline, ofPipeline.set(version, index));
    this.anyVersion.set(pipeline, index);
    return index;
  }

  /** The index of any version of the pipeline, for entries that need the pipeline only. */
  ofAny(pipeline: PipelineId): number {
    return this.anyVersion.get(pipeline) ?? this.of({ pipeline, version: 0 });
  }

  static read(names: readonly string[]): readonly PipelineVersion[] {
    return names.map((name) => {
      const at = name.lastIndexOf('@');
      return {
        pipeline: name.slice(0, at) as PipelineId,
        version: Number(name.slice(at + 1)),
      };
    });
  }
}
