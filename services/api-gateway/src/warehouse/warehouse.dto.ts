import { WAREHOUSE_MODES, type WarehouseMode } from '@penstock/contracts';
import type { JsonObject } from '@penstock/schema';
import { AnObject, OneOf, Optional, OptionalOrNull, TrueOrFalse } from '../http/shape';

/** Shape only: what the settings may hold is the platform's to say. */
export class TestWarehouseDto {
  @AnObject() readonly settings!: JsonObject;

  @OptionalOrNull() @AnObject() readonly mcpSettings?: JsonObject | null;
}

export class UpdateWarehouseDto extends TestWarehouseDto {
  @Optional() @OneOf(...WAREHOUSE_MODES) readonly mode?: WarehouseMode;

  @Optional() @TrueOrFalse() readonly cancelIncompatibleOperations?: boolean;
}

export class SetWarehouseModeDto {
  @OneOf(...WAREHOUSE_MODES) readonly mode!: WarehouseMode;

  @Optional() @TrueOrFalse() readonly cancelIncompatibleOperations?: boolean;
}
