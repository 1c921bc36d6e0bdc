import type { JsonObject } from '@penstock/schema';
import { Example, schemaOf } from '../openapi/schema/members';
import {
  AnObject,
  Characters,
  OneOf,
  Optional,
  OptionalOrNull,
  Text,
  Texts,
} from '../validation/shape';
import { DeliveryDto } from './delivery.dto';

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
  @Optional() @Texts() readonly linkedConnections?: readonly string[];

  @OptionalOrNull() @OneOf('Server') readonly sendingMode?: 'Server' | null;

  /** Only for a destination that accepts events. */
  @OptionalOrNull() @AnObject(schemaOf(DeliveryDto)) readonly delivery?: JsonObject | null;
}
