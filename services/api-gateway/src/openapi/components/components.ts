import type { JsonSchema } from '../schema/json-schema';
import { ADMINISTRATION } from './administration';
import { ALERTS } from './alerts';
import { APPLICATIONS } from './applications';
import { CONNECTIONS } from './connections';
import { DATABASES } from './databases';
import { DELIVERIES } from './deliveries';
import { ERASURES } from './erasures';
import { ERRORS } from './errors';
import { EVENT } from './event';
import { FILES } from './files';
import { INTAKE } from './intake';
import { METRICS } from './metrics';
import { NOTATION } from './notation';
import { PIPELINES } from './pipelines';
import { PROFILES } from './profiles';
import { RESOLUTIONS } from './resolutions';
import { REFUSED_EVENTS } from './refused-events';
import { REDRIVES } from './redrives';
import { REPLAYS } from './replays';
import { SCALARS } from './scalars';
import { TRACES } from './traces';
import { WAREHOUSES } from './warehouses';

/** All named schemas of the document except those of request bodies, which are built from their classes. */
export const COMPONENTS: Readonly<Record<string, JsonSchema>> = {
  ...SCALARS,
  ...NOTATION,
  ...EVENT,
  ...CONNECTIONS,
  ...APPLICATIONS,
  ...DATABASES,
  ...FILES,
  ...PIPELINES,
  ...DELIVERIES,
  ...TRACES,
  ...REDRIVES,
  ...REPLAYS,
  ...METRICS,
  ...REFUSED_EVENTS,
  ...ALERTS,
  ...WAREHOUSES,
  ...PROFILES,
  ...RESOLUTIONS,
  ...ERASURES,
  ...ADMINISTRATION,
  ...INTAKE,
  ...ERRORS,
};
