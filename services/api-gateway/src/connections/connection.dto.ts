import { DELIVERY_BOUNDS } from '@penstock/contracts';
import type { JsonNumber, JsonObject } from '@penstock/schema';
import { Example, schemaOf } from '../openapi/schema/members';
import {
  AnObject,
  Characters,
  IsInteger,
  OneOf,
  Optional,
  OptionalOrNull,
  Text,
  Texts,
} from '../validation/shape';

const { minMaxAgeSeconds, minTimeoutSeconds, maxTimeoutSeconds } = DELIVERY_BOUNDS;

/** The member `delivery` of a connection. Checks the shape only: the gateway does not know how long events are kept. */
@Example({ ordering: 'key', maxAge: 86_400, timeout: 30 })
export class DeliveryDto {
  @Optional() @OneOf('key', 'none') readonly ordering?: 'key' | 'none';

  @Optional() @IsInteger(minMaxAgeSeconds) readonly maxAge?: JsonNumber;

  @Optional() @IsInteger(minTimeoutSeconds, maxTimeoutSeconds) readonly timeout?: JsonNumber;
}

/** Each link is a fact with all links before it: more are made one by one. */
const MAX_LINKED = 1_000;

/** Checks the shape only; the connector checks the settings. */
@Example({
  name: 'Shop',
  role: 'Source',
  connector: 'nodejs',
  settings: {},
  linkedConnections: [],
})
export class CreateConnectionDto {
  @Characters(1, 100) readonly name!: string;

  @OneOf('Source', 'Destination') readonly role!: 'Source' | 'Destination';

  @Text() readonly connector!: string;

  @Optional() @AnObject() readonly settings?: JsonObject;

  /** Destinations for a source, sources for a destination. */
  @Optional() @Texts(MAX_LINKED) readonly linkedConnections?: readonly string[];

  @OptionalOrNull() @OneOf('Server') readonly sendingMode?: 'Server' | null;

  /** Only for a destination that accepts events. */
  @OptionalOrNull() @AnObject(schemaOf(DeliveryDto)) readonly delivery?: JsonObject | null;
}

/** Checks the shape only; the connector checks the settings. */
@Example({ name: 'Shop of Europe' })
export class UpdateConnectionDto {
  @Characters(1, 100) readonly name!: string;

  /** Absent: unchanged. */
  @Optional() @AnObject() readonly settings?: JsonObject;

  /** Absent: unchanged; `null`: reset to the defaults. An object replaces the previous one entirely. */
  @OptionalOrNull() @AnObject(schemaOf(DeliveryDto)) readonly delivery?: JsonObject | null;
}
