export { compileMapping } from './mapping/compile-mapping';
export type { CompiledMapping } from './mapping/compiled-mapping';
export { OutputValidationError, TransformationError } from './mapping/errors';
export { unmappedProperties } from './mapping/keys';
export type { Purpose } from './mapping/purpose';
