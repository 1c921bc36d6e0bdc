export { checkExpressions, compileMapping } from './mapping/compile-mapping';
export type { CompiledMapping } from './mapping/compiled-mapping';
export { OutputValidationError, TransformationError } from './mapping/errors';
export { mappedValues } from './mapping/mapped-values';
export { unmappedProperties } from './mapping/keys';
export type { Purpose } from './mapping/purpose';
export { FunctionRefused, SandboxUnavailable } from './functions/function-errors';
export {
  createFunctionRunner,
  type FunctionRunnerOptions,
} from './functions/create-function-runner';
export {
  type CircuitState,
  FunctionRunner,
  type FunctionBatch,
  type FunctionCompileOptions,
  type FunctionResult,
  type FunctionRunOptions,
} from './functions/function-runner';
export { RecordFailure } from './functions/values/record-failure';
export type {
  FunctionLanguage,
  FunctionSchemas,
  TransformationFunction,
} from './functions/values/transformation-function';
