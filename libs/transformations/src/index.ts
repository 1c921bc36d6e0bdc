export { compileMapping } from './mapping/compile-mapping';
export type { CompiledMapping } from './mapping/compiled-mapping';
export { OutputValidationError, TransformationError } from './mapping/errors';
export { unmappedProperties } from './mapping/keys';
export type { Purpose } from './mapping/purpose';
export { FunctionRefused, SandboxUnavailable } from './functions/function-errors';
export {
  createFunctionRunner,
  type FunctionBatch,
  type FunctionResult,
  type FunctionRunner,
  type FunctionRunnerOptions,
} from './functions/function-runner';
export { RecordFailure } from './functions/record-failure';
export type {
  FunctionLanguage,
  FunctionSchemas,
  TransformationFunction,
} from './functions/transformation-function';
