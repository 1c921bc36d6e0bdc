import { DELIVERY_BOUNDS } from '@penstock/contracts';
import type { JsonNumber } from '@penstock/schema';
import { Example } from '../openapi/schema/members';
import { OneOf, Optional } from '../validation/shape';
import { IsInteger } from './is-integer';

const { minMaxAgeSeconds, minTimeoutSeconds, maxTimeoutSeconds } = DELIVERY_BOUNDS;

/** The member `delivery` of a connection. Checks the shape only: the gateway does not know how long events are kept. */
@Example({ ordering: 'key', maxAge: 86_400, timeout: 30 })
export class DeliveryDto {
  @Optional() @OneOf('key', 'none') readonly ordering?: 'key' | 'none';

  @Optional() @IsInteger(minMaxAgeSeconds) readonly maxAge?: JsonNumber;

  @Optional() @IsInteger(minTimeoutSeconds, maxTimeoutSeconds) readonly timeout?: JsonNumber;
}
