import {
  type AnswerOf,
  type Commands,
  type InputOf,
  isSlow,
  type OperationName,
  type Queries,
  type Request,
} from '@penstock/contracts';
import type { LogRequestContext } from '@penstock/messaging';
import { MessagePattern } from '@nestjs/microservices';

/** A request for an operation. */
export type RequestFor<Name extends OperationName> = Request<InputOf<Name>>;

/** What comes by messages: reads are answered by gateways. */
type Handled = keyof Commands | keyof Queries;

type Handler<Name extends OperationName> = (
  request: RequestFor<Name>,
  context: LogRequestContext,
) => Promise<AnswerOf<Name>> | AnswerOf<Name>;

/** The method handles the operation, apart from all others where the operation is declared as slow. */
export const Handles =
  <Name extends Handled>(name: Name) =>
  <Method extends Handler<Name>>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    const detached = ({ in: input }: RequestFor<Name>): boolean => isSlow(name, input);
    MessagePattern(name, { detached })(target, key, descriptor);
  };
