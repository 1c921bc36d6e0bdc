import { HEALTH_CAUSES, type HealthView } from '@penstock/contracts';
import type { JsonObject } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import type { HealthMember } from '../openapi/components/health';

/** Converts a health for an answer. @param view undefined: it has always been healthy. */
export const healthJson = (view: HealthView | undefined): JsonObject => {
  const { status = 'Healthy', since = null, code = '', detail } = view ?? {};
  // A newer version may have recorded a code that this one does not know.
  const { message: text, action } = HEALTH_CAUSES[Object.hasOwn(HEALTH_CAUSES, code) ? code : ''];
  const message = detail === undefined ? text : `${text}: ${detail}`;
  return jsonObject<HealthMember>({ status, since, code, message, action });
};
