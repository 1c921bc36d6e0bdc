import { WAREHOUSE_MODES, type WarehouseMode } from '@penstock/contracts';
import type { JsonObject } from '@penstock/schema';
import { Example } from '../openapi/schema/members';
import { AnObject, OneOf, Optional, OptionalOrNull, IsBoolean } from '../validation/shape';

const SETTINGS = {
  host: 'db.example.com',
  port: 5432,
  username: 'penstock',
  password: 'secret',
  database: 'warehouse',
  schema: 'public',
};

/** Checks the shape only; the platform checks the settings. */
@Example({ settings: SETTINGS })
export class TestWarehouseDto {
  @AnObject('WarehouseSettings') readonly settings!: JsonObject;

  @OptionalOrNull()
  @AnObject('WarehouseSettings')
  readonly mcpSettings?: JsonObject | null;
}

@Example({ settings: SETTINGS, mode: 'Normal' })
export class UpdateWarehouseDto extends TestWarehouseDto {
  @Optional() @OneOf(...WAREHOUSE_MODES) readonly mode?: WarehouseMode;

  @Optional() @IsBoolean() readonly cancelIncompatibleOperations?: boolean;
}
