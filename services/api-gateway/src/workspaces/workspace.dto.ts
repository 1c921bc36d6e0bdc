import { Characters } from '../http/shape';

export class RenameWorkspaceDto {
  @Characters(1, 100) readonly name!: string;
}

export class CreateWorkspaceDto extends RenameWorkspaceDto {}
