/** What to do about an error of a run, by its code. */
const ADVICE = {
  Ambiguous: 'make the matching value unique, or set updateOnDuplicates',
  ConnectionNotExist: 'delete the pipeline, or create it on another connection',
  ConnectorFailed: 'report it: the log has the cause under the id of the run',
  ConnectorNotExist: 'upgrade the executors: this release does not have the connector',
  DuplicateKey: 'export by a key that every profile has for itself',
  EmptyPage: 'run the pipeline again, and report it when it happens again',
  FormatNotExist: 'choose another format in the pipeline',
  FunctionFailed: 'correct the function, or the record at the source',
  InternalError: 'report it: the log has the cause under the id of the run',
  Interrupted: 'run the pipeline again to learn the reason',
  InvalidFile: 'correct the file, or the format and its settings in the pipeline',
  InvalidId: 'give the record an id at the source',
  InvalidMatchingValue:
    'correct the matching value of the profile, or the property that is matched',
  InvalidPath: 'correct the path in the pipeline, or put the file there',
  InvalidPipeline: 'update the pipeline',
  InvalidPlaceholder: 'correct the placeholders in the pipeline',
  InvalidQuery: 'correct the query of the pipeline',
  InvalidRecord: 'correct the record at the source',
  InvalidSettings: 'correct the settings of the connection',
  InvalidUpdateTime: 'correct the update time at the source, or updatedAtFormat in the pipeline',
  InvalidValue: 'correct the record at the source, or the schemas of the pipeline',
  InvalidWarehouse: 'check the settings of the data warehouse',
  MappingFailed: 'correct the mapping, or the record at the source',
  NoColumnsFound: 'correct the names of the columns, or hasColumnNames in the pipeline',
  NotWritten: 'run the pipeline again',
  Other: 'correct the other errors of the step, and run the pipeline again',
  PipelineNotExist: 'run another pipeline: this one was deleted',
  Refused: 'correct what is refused: the credentials, the rights or the value',
  Rejected: 'correct the settings of the connection, or what the application refuses',
  SchemaNotAligned: 'update the schemas of the pipeline, or bring the column back',
  SheetNotExist: 'choose another sheet in the pipeline',
  TableNotExist: 'create the table, or choose another one in the pipeline',
  TooLarge: 'run the pipeline with smaller batches',
  TransformationFailed: 'correct the function of the pipeline',
  Unavailable: 'make it reachable, then run the pipeline again',
  Unconfirmed: 'look whether it has arrived, then run the pipeline again',
} as const;

/** Code of an error of a run: of the whole run, or of a record. */
export type RunErrorCode = keyof typeof ADVICE;

const isKnown = (code: string): code is RunErrorCode => Object.hasOwn(ADVICE, code);

/** What to do about an error; empty for a code of another kind of run, or of another release. */
export const adviceOf = (code: string): string => (isKnown(code) ? ADVICE[code] : '');

/** Every code, for specs. */
export const RUN_ERROR_CODES = Object.keys(ADVICE) as readonly RunErrorCode[];
