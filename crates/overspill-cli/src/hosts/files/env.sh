# overspill @VERSION@: made by `overspill init`, removed by `overspill uninstall`.
# bash reads this file before a command. The file passes the whole command to overspill, once.
if [ -n "$BASH_EXECUTION_STRING" ] && [ -x @COMMAND@ ]; then
  # The shell that runs the command reads the user's own BASH_ENV file.
  if [ -n @BEFORE@ ] && [ @BEFORE@ != "$BASH_ENV" ]; then export BASH_ENV=@BEFORE@; else unset BASH_ENV; fi
  if shopt -q login_shell; then
    exec @COMMAND@ sh --shell "$BASH" -l -c "$BASH_EXECUTION_STRING" "$0" "$@"
  fi
  exec @COMMAND@ sh --shell "$BASH" -c "$BASH_EXECUTION_STRING" "$0" "$@"
elif [ -n @BEFORE@ ] && [ @BEFORE@ != "$BASH_ENV" ]; then
  . @BEFORE@
fi
