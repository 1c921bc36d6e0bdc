import type { JsonObject } from '@penstock/schema';
import { AnObject, Characters, Text } from '../http/shape';
import { TestWarehouseDto } from '../warehouse/warehouse.dto';

export class RenameWorkspaceDto {
  @Characters(1, 100) readonly name!: string;
}

export class CreateWorkspaceDto extends RenameWorkspaceDto {
  @AnObject() readonly warehouse!: JsonObject;
}

/** The member `warehouse` of the same. */
export class NewWarehouseDto extends TestWarehouseDto {
  @Text() readonly platform!: string;
}
