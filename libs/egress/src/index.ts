export { type EgressRules, egressRules } from './egress-rules';
export { EgressRefused, guardedLookup, type Resolve } from './guarded-lookup';
export { codeOf, unreachableReason } from './unreachable-reason';
