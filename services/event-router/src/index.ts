export { createEventRouter, type RunningRouter } from './create-event-router';
export type { EventRouterDependencies } from './event-router.module';
export { ROUTER_DEFAULTS, type RouterOptions } from './lanes/router.options';
