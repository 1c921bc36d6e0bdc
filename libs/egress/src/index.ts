export { type EgressRules, egressRules } from './egress-rules';
export { EgressRefused, guardedLookup, type Resolve, systemResolve } from './guarded-lookup';
export { createGuardedSockets, GuardedSockets, type TrustedServer } from './guarded-sockets';
export { codeOf, unreachableReason } from './unreachable-reason';
