import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { speak } from "@/i18n";
import { settingsQuery } from "@/lib/api/queries";
import { chooseTheme, keptLocally } from "@/lib/theme";

/**
 * What a member chose elsewhere holds here too, until they choose something else here. Says whether
 * single letters are shortcuts.
 */
export function useOwnSettings(organization: string, known: boolean): boolean {
  const settings = useQuery({ ...settingsQuery(organization), enabled: known });
  const theme = settings.data?.theme;
  const language = settings.data?.language;
  useEffect(() => {
    if (theme && keptLocally("burgee-theme") === null) chooseTheme(theme);
    if (language && keptLocally("burgee-language") === null) void speak(language);
  }, [theme, language]);
  return settings.data?.letterShortcuts !== false;
}
