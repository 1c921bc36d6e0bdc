export {
  type Warehouse,
  WarehouseFault,
  type WarehouseFaultKind,
  type WarehousePlatform,
  type WarehouseSettings,
} from './warehouse';
export { settingsOfUrl } from './postgresql/settings-of-url';
export { createWarehouses, type Warehouses, type WarehousesOptions } from './warehouses';
