import type { ConnectionId, PipelineId, WorkspaceId } from './ids';

/** Canonical JSON text of a schema, filter or transformation: numbers in it keep every digit. */
export type JsonString = string;

/** A function of a transformation, and the properties that it reads and writes. */
export interface TransformationFunction {
  readonly source: string;
  readonly language: 'JavaScript' | 'Python';
  readonly preserveJSON: boolean;
  readonly inPaths: readonly string[];
  readonly outPaths: readonly string[];
}

/** One of the two, never both. */
export type Transformation =
  | { readonly mapping: Readonly<Record<string, string>>; readonly function: null }
  | { readonly mapping: null; readonly function: TransformationFunction };

/** What Create and Update have in common. */
export interface PipelineDefinition {
  readonly name: string;
  readonly enabled: boolean;
  readonly filter: JsonString | null;
  readonly transformation: Transformation | null;
  readonly outSchema: JsonString | null;
}

/** A pipeline as it is created. */
export interface NewPipeline extends PipelineDefinition {
  readonly id: PipelineId;
  readonly workspace: WorkspaceId;
  readonly connection: ConnectionId;
  readonly target: 'Event';
  readonly eventType: string;
}

/** Everything that can happen to a pipeline. Kept for ever, as `ConnectionFact`. */
export type PipelineFact =
  | { readonly type: 'PipelineCreated'; readonly data: NewPipeline }
  | { readonly type: 'PipelineUpdated'; readonly data: PipelineDefinition }
  | { readonly type: 'PipelineStatusSet'; readonly data: { readonly enabled: boolean } }
  | { readonly type: 'PipelineDeleted'; readonly data: Record<never, never> };
