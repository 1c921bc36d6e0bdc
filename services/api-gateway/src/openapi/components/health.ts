import { HEALTH_CAUSES, HEALTH_STATUSES } from '@penstock/contracts';
import {
  described,
  type JsonSchema,
  object,
  oneOf,
  orNull,
  TEXT,
  TIME,
} from '../schema/json-schema';

/** Members of a health in answers. */
export type HealthMember = 'status' | 'since' | 'code' | 'message' | 'action';

/** The health of a connection or a pipeline. */
export const HEALTH: JsonSchema = object<HealthMember>({
  status: oneOf(HEALTH_STATUSES),
  since: orNull(described(TIME, 'When it was first observed; null if it has always been healthy.')),
  code: described(
    TEXT,
    `Why, from a short list: ${Object.keys(HEALTH_CAUSES).filter(Boolean).join(', ')}. Empty when it is healthy.`,
  ),
  message: described(TEXT, 'Why, for people.'),
  action: described(TEXT, 'What to do about it, for people.'),
});

export const HEALTH_EXAMPLE = {
  status: 'Healthy',
  since: null,
  code: '',
  message: '',
  action: '',
};
