export { compileFilter, type CompiledFilter } from './compile-filter';
export type { Condition, Filter, FilterContext } from './filter';
export { filterPaths } from './filter-paths';
export { OPERATOR_NAMES, type Operator } from './operators';
export { parseFilter } from './parse-filter';
export { filterToJson, printFilter } from './print-filter';
