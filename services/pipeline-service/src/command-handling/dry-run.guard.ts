import { type OperationName, OPERATIONS, Refusal, type Request } from '@penstock/contracts';
import type { LogRequestContext } from '@penstock/messaging';
import type { CanActivate, ExecutionContext } from '@nestjs/common';

/** Refuses dry runs of operations without one, before any handler sees them. Gateways refuse the parameter too. */
export class DryRunGuard implements CanActivate {
  /** @throws Refusal BadRequest */
  canActivate(execution: ExecutionContext): boolean {
    const rpc = execution.switchToRpc();
    const { pattern } = rpc.getContext<LogRequestContext>();
    const { context } = rpc.getData<Request<unknown>>();
    if (context.isDryRun !== true || OPERATIONS[pattern as OperationName].hasDryRun) return true;
    const details = [{ path: '/dryRun', message: 'the operation has no dry run' }];
    throw new Refusal('BadRequest', { details });
  }
}
