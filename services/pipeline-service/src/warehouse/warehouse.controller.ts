import { LogRequestContext } from '@penstock/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { SlowRequests } from '../command-handling/slow-requests';
import { WorkspaceWarehouses } from './workspace-warehouses';

/** What is asked of the warehouse of a workspace. */
@Controller()
export class WarehouseController {
  constructor(
    private readonly warehouses: WorkspaceWarehouses,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('TestWarehouse')
  test(@Payload() request: RequestFor<'TestWarehouse'>, @Ctx() context: LogRequestContext) {
    return this.slow.handle(request, context, () => this.warehouses.test(request));
  }

  @Handles('UpdateWarehouse')
  update(@Payload() request: RequestFor<'UpdateWarehouse'>, @Ctx() context: LogRequestContext) {
    return this.slow.handle(request, context, () => this.warehouses.update(request));
  }

  @Handles('SetWarehouseMode')
  setMode(@Payload() request: RequestFor<'SetWarehouseMode'>) {
    return this.warehouses.setMode(request);
  }

  @Handles('RepairWarehouse')
  repair(@Payload() request: RequestFor<'RepairWarehouse'>, @Ctx() context: LogRequestContext) {
    return this.slow.handle(request, context, () => this.warehouses.repair(request));
  }
}
