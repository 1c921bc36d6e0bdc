import type { Commands, Queries, Request } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { SlowRequests } from '../command-handling/slow-requests';
import { WorkspaceWarehouses } from './workspace-warehouses';

type Contract = Commands & Queries;
type In<Name extends keyof Contract> = Request<Contract[Name]['in']>;

/** What connects to a warehouse takes up to ten seconds: nobody else waits for it. */
const DETACHED = { detached: true };

/** What is asked of the warehouse of a workspace. */
@Controller()
export class WarehouseController {
  constructor(
    private readonly warehouses: WorkspaceWarehouses,
    private readonly slow: SlowRequests,
  ) {}

  @MessagePattern('GetWarehouse')
  get(@Payload() request: In<'GetWarehouse'>) {
    return this.warehouses.get(request);
  }

  @MessagePattern('TestWarehouse', DETACHED)
  test(@Payload() request: In<'TestWarehouse'>, @Ctx() { deadlineMs }: LogRequestContext) {
    const question = { request, deadlineMs, line: 'questions' } as const;
    return this.slow.handle(question, () => this.warehouses.test(request));
  }

  @MessagePattern('UpdateWarehouse', DETACHED)
  update(@Payload() request: In<'UpdateWarehouse'>, @Ctx() { deadlineMs }: LogRequestContext) {
    const command = { request, deadlineMs, line: 'commands' } as const;
    return this.slow.handle(command, () => this.warehouses.update(request));
  }

  @MessagePattern('SetWarehouseMode')
  setMode(@Payload() request: In<'SetWarehouseMode'>) {
    return this.warehouses.setMode(request);
  }

  @MessagePattern('RepairWarehouse', DETACHED)
  repair(@Payload() request: In<'RepairWarehouse'>, @Ctx() { deadlineMs }: LogRequestContext) {
    const command = { request, deadlineMs, line: 'commands' } as const;
    return this.slow.handle(command, () => this.warehouses.repair(request));
  }
}
