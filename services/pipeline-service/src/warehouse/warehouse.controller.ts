import type { Commands, Queries, Request } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { WorkspaceWarehouses } from './workspace-warehouses';

type Contract = Commands & Queries;
type In<Name extends keyof Contract> = Request<Contract[Name]['in']>;

/** What connects to a warehouse takes up to ten seconds: nobody else waits for it. */
const DETACHED = { detached: true };

/** What is asked of the warehouse of a workspace. */
@Controller()
export class WarehouseController {
  constructor(private readonly warehouses: WorkspaceWarehouses) {}

  @MessagePattern('GetWarehouse')
  get(@Payload() request: In<'GetWarehouse'>) {
    return this.warehouses.get(request);
  }

  @MessagePattern('TestWarehouse', DETACHED)
  test(@Payload() request: In<'TestWarehouse'>) {
    return this.warehouses.test(request);
  }

  @MessagePattern('UpdateWarehouse', DETACHED)
  update(@Payload() request: In<'UpdateWarehouse'>) {
    return this.warehouses.update(request);
  }

  @MessagePattern('SetWarehouseMode')
  setMode(@Payload() request: In<'SetWarehouseMode'>) {
    return this.warehouses.setMode(request);
  }

  @MessagePattern('RepairWarehouse', DETACHED)
  repair(@Payload() request: In<'RepairWarehouse'>) {
    return this.warehouses.repair(request);
  }
}
