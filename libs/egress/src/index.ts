export { type EgressRules, egressRules } from './egress-rules';
export { EgressRefused, guardedLookup, type Resolve, systemResolve } from './guarded-lookup';
export { codeOf, unreachableReason } from './unreachable-reason';
