export {
  type Initialised,
  type InitialiseOptions,
  type Warehouse,
  WarehouseFault,
  type WarehouseFaultKind,
  type WarehousePlatform,
  type WarehouseSettings,
} from './platform/warehouse';
export { settingsOfUrl } from './postgresql/settings-of-url';
export { createWarehouses, Warehouses, type WarehousesOptions } from './warehouses';
