/** `echomq completion`: the script that lets a shell complete the tool's commands, options and states. */

import { Argument, Command } from "commander";
import type { CommandContext } from "./command-context.ts";
import { commandTree } from "./command-tree.ts";
import { bashScript } from "./completion/bash-script.ts";
import { fishScript } from "./completion/fish-script.ts";
import { zshScript } from "./completion/zsh-script.ts";
import { writeJson } from "./server-command.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

type Shell = keyof typeof SCRIPTS;

/** The command; see `echomq completion --help`. */
export function completionCommand(context: CommandContext): Command {
  return new Command("completion")
    .summary("script that lets a shell complete this tool")
    .description("Print the script that lets a shell complete commands, options and states.")
    .addArgument(new Argument("<shell>", "shell that reads it").choices(Object.keys(SCRIPTS)))
    .option("--json", "print it within one JSON document")
    .addHelpText("after", COMPLETION_HELP)
    .action((shell: Shell, options: { json?: boolean }, command: Command) => {
      const script = SCRIPTS[shell](commandTree(command.parent ?? command));
      if (options.json === true) writeJson(context.host, { shell, script });
      else context.host.out.write(script);
    });
}

const COMPLETION_HELP = `
Examples:
  source <(echomq completion bash)                                      in ~/.bashrc
  source <(echomq completion zsh)                                       in ~/.zshrc, after compinit
  echomq completion fish > ~/.config/fish/completions/echomq.fish`;
