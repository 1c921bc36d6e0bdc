import type { JsonSchema } from '../schema/json-schema';
import { ADMINISTRATION } from './administration';
import { APPLICATIONS } from './applications';
import { CONNECTIONS } from './connections';
import { ERRORS } from './errors';
import { EVENT } from './event';
import { INTAKE } from './intake';
import { NOTATION } from './notation';
import { PIPELINES } from './pipelines';
import { SCALARS } from './scalars';
import { WAREHOUSES } from './warehouses';

/** What the document names, but for the bodies of requests: those are made of their classes. */
export const COMPONENTS: Readonly<Record<string, JsonSchema>> = {
  ...SCALARS,
  ...NOTATION,
  ...EVENT,
  ...CONNECTIONS,
  ...APPLICATIONS,
  ...PIPELINES,
  ...WAREHOUSES,
  ...ADMINISTRATION,
  ...INTAKE,
  ...ERRORS,
};
