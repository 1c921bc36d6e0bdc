import type { JsonObject } from '@penstock/schema';
import { Example, schemaOf } from '../openapi/schema/members';
import { AnObject, Characters, Text } from '../validation/shape';
import { TestWarehouseDto } from '../warehouse/warehouse.dto';

@Example({ name: 'Europe' })
export class RenameWorkspaceDto {
  @Characters(1, 100) readonly name!: string;
}

/** The member `warehouse` of {@link CreateWorkspaceDto}. */
export class NewWarehouseDto extends TestWarehouseDto {
  @Text() readonly platform!: string;
}

@Example({
  name: 'Europe',
  warehouse: {
    platform: 'PostgreSQL',
    settings: {
      host: 'db.example.com',
      port: 5432,
      username: 'penstock',
      password: 'secret',
      database: 'europe',
      schema: 'public',
    },
  },
})
export class CreateWorkspaceDto extends RenameWorkspaceDto {
  @AnObject(schemaOf(NewWarehouseDto)) readonly warehouse!: JsonObject;
}
