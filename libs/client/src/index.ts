export type { components, operations, paths } from './api-types';
export { createPenstockClient, type PenstockClient, type PenstockClientOptions } from './client';
