import type { JsonObject } from '@penstock/schema';
import { Example, schemaOf } from '../openapi/schema/members';
import { AnObject, Characters, Optional, OptionalOrNull } from '../validation/shape';
import { DeliveryDto } from './delivery.dto';

/** Checks the shape only; the connector checks the settings. */
@Example({ name: 'Shop of Europe' })
export class UpdateConnectionDto {
  @Characters(1, 100) readonly name!: string;

  /** Absent: unchanged. */
  @Optional() @AnObject() readonly settings?: JsonObject;

  /** Absent: unchanged; `null`: reset to the defaults. An object replaces the previous one entirely. */
  @OptionalOrNull() @AnObject(schemaOf(DeliveryDto)) readonly delivery?: JsonObject | null;
}
