export { compileFilter, type CompiledFilter, type ExplainedCondition } from './compile-filter';
export { type Condition, type Filter, type FilterContext, filterPaths } from './filter';
export { OPERATOR_NAMES, type Operator } from './operators';
export { parseFilter } from './parse-filter';
export { filterToJson, printFilter } from './print-filter';
