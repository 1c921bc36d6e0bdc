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

/** What Create and Update of every kind of pipeline have in common. */
interface CommonDefinition {
  readonly name: string;
  readonly enabled: boolean;
  readonly filter: JsonString | null;
  readonly transformation: Transformation | null;
  readonly outSchema: JsonString | null;
}

/** What Create and Update of a pipeline on events say; it reads the event schema. */
export interface EventDefinition extends CommonDefinition {
  readonly imports?: undefined;
  readonly exports?: undefined;
}

/** How update times are written in a column of texts: `ISO8601`, `Excel` (files), or a layout with `%`. */
export type UpdateTimeFormat = string;

/** What an import does without a column of its inSchema: its runs fail, or read null instead. */
export const MISSING_COLUMNS = ['fail', 'null'] as const;
/** One of {@link MISSING_COLUMNS}. */
export type MissingColumns = (typeof MISSING_COLUMNS)[number];

/** The columns of a database or a file that identify a record and say when it was changed. */
export interface RecordColumns {
  readonly userID: string;
  /** `null`: every record is always read, and has the time of the run or of the file. */
  readonly updatedAt: string | null;
  /** `null`: the column is of a kind of time. */
  readonly updatedAtFormat: UpdateTimeFormat | null;
  /** What becomes of columns that the source does not have; absent: `fail`. */
  readonly missing?: MissingColumns;
}

/** A file of a storage, and how it is read or written. */
interface FilePlace {
  /** Code of the file format. */
  readonly format: string;
  readonly path: string;
  /** `null` for a format without sheets. */
  readonly sheet: string | null;
  /** `''`: none. */
  readonly compression: '' | 'Zip' | 'Gzip' | 'Snappy';
  /** Canonical JSON text of an object: defaults filled in. */
  readonly formatSettings: JsonString;
}

/** Where the records of an import come from, by the type of the connection. */
export type ImportSource =
  | { readonly kind: 'application' }
  | {
      readonly kind: 'database';
      /** One statement, with the placeholders `${updated_at}` and `${limit}`. */
      readonly query: string;
      readonly columns: RecordColumns;
    }
  | (FilePlace & { readonly kind: 'file'; readonly columns: RecordColumns });

/** What an import reads beside the common members of its definition. */
export interface ImportSettings {
  readonly source: ImportSource;
  /** What is read of each record. */
  readonly inSchema: JsonString;
  /** Whether a run reads only what was changed since the last one, unless its request says otherwise. */
  readonly incremental: boolean;
}

/** What Create and Update of a pipeline that imports users into the warehouse say. */
export interface ImportDefinition extends CommonDefinition {
  readonly transformation: Transformation;
  readonly outSchema: JsonString;
  readonly imports: ImportSettings;
  readonly exports?: undefined;
}

/** Which profiles an export to an application sends: those without a user there, those with one, or both. */
export const EXPORT_MODES = ['CreateOnly', 'UpdateOnly', 'CreateOrUpdate'] as const;
/** One of {@link EXPORT_MODES}. */
export type ExportMode = (typeof EXPORT_MODES)[number];

/** By which properties profiles and users of an application are matched: paths. */
export interface Matching {
  /** In the inSchema. */
  readonly in: string;
  /** In the outSchema. */
  readonly out: string;
}

/** Where the profiles of an export go, by the type of the connection. */
export type ExportDestination =
  | {
      readonly kind: 'application';
      readonly mode: ExportMode;
      readonly matching: Matching;
      /** Whether all users are changed that match one profile; else such a profile fails. */
      readonly updateOnDuplicates: boolean;
    }
  | {
      readonly kind: 'database';
      readonly table: string;
      /** The property of the outSchema by whose values rows are merged. */
      readonly key: string;
    }
  | (FilePlace & {
      readonly kind: 'file';
      /** Path of the property of the inSchema by which the records of the file are ordered. */
      readonly orderBy: string;
    });

/** What an export has beside the common members of its definition. */
export interface ExportSettings {
  readonly destination: ExportDestination;
  /** What is read of each profile; of an export to files also what is written, in this order. */
  readonly inSchema: JsonString;
}

/** What Create and Update of a pipeline that exports profiles say; to files, without transformation and outSchema. */
export interface ExportDefinition extends CommonDefinition {
  readonly imports?: undefined;
  readonly exports: ExportSettings;
}

/** What Create and Update say, by the kind of the pipeline. */
export type PipelineDefinition = EventDefinition | ImportDefinition | ExportDefinition;

interface NewPipelineOf {
  readonly id: PipelineId;
  readonly workspace: WorkspaceId;
  readonly connection: ConnectionId;
}

/** A pipeline that sends events to an application, as it is created. */
export interface NewEventPipeline extends NewPipelineOf, EventDefinition {
  readonly target: 'Event';
  readonly eventType: string;
}

/**
 * A pipeline that writes what a source receives into the warehouse, as it is created: with target `Event` the events, with
 * target `User` the identities in them. Its connection is the source.
 */
export interface NewWarehousePipeline extends NewPipelineOf, EventDefinition {
  readonly target: 'Event' | 'User';
  readonly eventType: null;
}

/** A pipeline that imports users into the warehouse, in runs, as it is created. */
export interface NewImportPipeline extends NewPipelineOf, ImportDefinition {
  readonly target: 'User';
  readonly eventType: null;
}

/** A pipeline that exports profiles from the warehouse, in runs, as it is created. */
export interface NewExportPipeline extends NewPipelineOf, ExportDefinition {
  readonly target: 'User';
  readonly eventType: null;
}

/**
 * A pipeline as it is created. Only imports have `imports`, only exports `exports`, only those that send events an event
 * type.
 */
export type NewPipeline =
  | NewEventPipeline
  | NewWarehousePipeline
  | NewImportPipeline
  | NewExportPipeline;

/** Everything that can happen to a pipeline. Kept for ever, as `ConnectionFact`. */
export type PipelineFact =
  | { readonly type: 'PipelineCreated'; readonly data: NewPipeline }
  | { readonly type: 'PipelineUpdated'; readonly data: PipelineDefinition }
  | { readonly type: 'PipelineStatusSet'; readonly data: { readonly enabled: boolean } }
  | { readonly type: 'PipelineDeleted'; readonly data: Record<never, never> };
