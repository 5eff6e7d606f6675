import { BadRequestException, type PipeTransform } from '@nestjs/common';

/** The name of a show becomes a file name and the name of a lock, so only harmless characters are allowed. */
export class ShowNamePipe implements PipeTransform<string, string> {
  transform(name: string): string {
    if (/^[a-z0-9-]{1,40}$/.test(name)) return name;
    throw new BadRequestException(
      'The name of a show must consist of 1 to 40 characters: a to z, 0 to 9 and "-"',
    );
  }
}
